/** What is kept of a session, and how it is read and written. */
import { z } from 'zod';
import { user } from '../../shared/api/auth.ts';
import type { SecretStore } from './platform.ts';

const storeName = 'session';

const sessionDocument = z.object({
  version: z.literal(1),
  serverAddress: z.string(),
  user,
  refreshToken: z.string().min(1),
  /** The Idempotency-Key of a refresh whose answer has not been stored yet. */
  pendingRefreshKey: z.string().nullable(),
});
export type SessionDocument = z.infer<typeof sessionDocument>;

export type SessionRead =
  | { readonly kind: 'session'; readonly session: SessionDocument }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable' };

/** The kept session, told apart from one that is there and cannot be read. */
export async function readSession(secrets: SecretStore): Promise<SessionRead> {
  const read = await secrets.read(storeName);
  if (read.kind !== 'value') return { kind: read.kind };
  const session = parseDocument(read.value);
  return session ? { kind: 'session', session } : { kind: 'unreadable' };
}

/** Keeps the session; rejects where the disk refuses. */
export function writeSession(secrets: SecretStore, session: SessionDocument): Promise<void> {
  return secrets.write(storeName, JSON.stringify(session));
}

/** Removes the kept session; where that is refused it is overwritten with nothing. */
export async function removeSession(secrets: SecretStore): Promise<void> {
  await secrets.remove(storeName).catch(() => secrets.write(storeName, ''));
}

function parseDocument(text: string): SessionDocument | null {
  try {
    return sessionDocument.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
