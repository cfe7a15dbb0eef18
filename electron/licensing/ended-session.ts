/** The user whose session has ended by itself, who will probably sign in again, also after a restart of the app. */
import { z } from 'zod';
import { KeptDocument, type KeptDocumentDeps } from './kept-document.ts';

const endedSessionDocument = z.object({
  version: z.literal(1),
  serverAddress: z.string(),
  email: z.string(),
  reason: z.enum(['session-expired', 'session-revoked']),
});

export class EndedSession extends KeptDocument<z.infer<typeof endedSessionDocument>> {
  constructor({ secrets, log }: KeptDocumentDeps) {
    super({ secrets, log, name: 'ended-session', schema: endedSessionDocument });
  }
}
