/** The keys that sign the audit log, derived from the current secrets. */
import type { Secrets } from '../secrets/secrets.ts';
import { type AuditKeys, auditKeys, isHeadValid, type SignedHead } from './audit-chain.rules.ts';

/**
 * Returns the keys, newest first. Reloads the secrets if the newest seal is signed with another key, since they may have
 * been rotated.
 */
export function readAuditKeys(
  secrets: Pick<Secrets, 'masterKeys' | 'refresh'>,
  head: SignedHead | undefined,
): AuditKeys {
  const keys = auditKeys(secrets.masterKeys);
  return head && !isHeadValid(head, keys) && secrets.refresh() ? auditKeys(secrets.masterKeys) : keys;
}
