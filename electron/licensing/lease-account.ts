/** The account whose lease counts while nobody is signed in: that of the expired session, or of an imported lease. */
import { z } from 'zod';
import { KeptDocument, type KeptDocumentDeps } from './kept-document.ts';

const leaseAccountDocument = z.object({
  version: z.literal(1),
  /** Empty if the lease was imported before any server was chosen. */
  serverAddress: z.string(),
  accountId: z.string(),
});

export type LeaseAccount = KeptDocument<z.infer<typeof leaseAccountDocument>>;

export function createLeaseAccount({ secrets, log }: KeptDocumentDeps): LeaseAccount {
  return new KeptDocument({ secrets, log, name: 'lease-account', schema: leaseAccountDocument });
}
