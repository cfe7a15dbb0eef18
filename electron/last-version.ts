/** Remembers which version of the app ran last, so that the window can say once that the app was updated. */
import { z } from 'zod';
import { CachedDocument } from './licensing/cached-document.ts';
import type { Log, PlainStore } from './licensing/platform.ts';
import { isNewer } from './licensing/update-offer.ts';

const lastVersion = z.object({ version: z.literal(1), appVersion: z.string() });

/** Stores the running version. Returns the version that ran before if the app was updated since; otherwise `null`. */
export async function recordVersion(plain: PlainStore, log: Log, running: string): Promise<string | null> {
  const document = new CachedDocument({ plain, log, name: 'last-version', schema: lastVersion });
  const before = (await document.read())?.appVersion ?? null;
  if (before !== running) await document.write({ appVersion: running });
  return before !== null && isNewer(running, before) ? before : null;
}
