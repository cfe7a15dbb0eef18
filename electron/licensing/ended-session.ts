/** The user whose session has ended by itself, who will probably sign in again, also after a restart of the app. */
import { z } from 'zod';
import { KeptDocument, type KeptDocumentDeps } from './kept-document.ts';

const endedSessionDocument = z.object({
  version: z.literal(1),
  serverAddress: z.string(),
  email: z.string(),
  reason: z.enum(['session-expired', 'session-revoked']),
});

export type EndedSession = KeptDocument<z.infer<typeof endedSessionDocument>>;

export function createEndedSession({ secrets, log }: KeptDocumentDeps): EndedSession {
  return new KeptDocument({ secrets, log, name: 'ended-session', schema: endedSessionDocument });
}
