/** Compares the end of the audit log with the newest seal that was remembered outside of the database. */
import type { Executor } from '../database/database.ts';
import { listSeals, readCut } from './audit.repository.ts';
import { type AuditKeys, findCutProblem, type Head, isHeadValid, type SignedHead } from './audit-chain.rules.ts';

type Comparison = {
  /** The head that the database has. */
  readonly head: SignedHead | undefined;
  readonly remembered: Head | undefined;
  /** Without keys, the signature is not verified. */
  readonly keys: AuditKeys | undefined;
};

/**
 * Returns what is wrong with the end of the log; `undefined` if the head is the remembered one, continues it, or was
 * accepted since, and also if nothing was remembered.
 */
export async function findLostEnd(executor: Executor, comparison: Comparison): Promise<string | undefined> {
  const { head, remembered } = comparison;
  if (!remembered || (await continues(executor, comparison, remembered))) return undefined;
  const found = head ? `that of the database is seal ${head.seal_id}` : 'the database has none';
  return (
    `its end was cut off: the newest seal that is remembered outside of the database is seal ${remembered.seal_id}, and ` +
    `${found}, which does not continue it. Somebody put an earlier state back, or changed the end; or the database was ` +
    'recovered to an earlier time, or lost its last transactions in a failover. Nothing is sealed until an admin who knows ' +
    'the reason has run "audit accept"'
  );
}

async function continues(executor: Executor, { head, keys }: Comparison, remembered: Head): Promise<boolean> {
  if (!head || (keys && !isHeadValid(head, keys))) return false;
  if (head.epoch !== remembered.epoch) return head.epoch > remembered.epoch;
  if (head.seal_id <= remembered.seal_id) return head.seal_id === remembered.seal_id && head.hash === remembered.hash;
  if (remembered.seal_id === 0) return true;
  const [seal] = await listSeals(executor, remembered.seal_id - 1, 1);
  if (seal?.id === remembered.seal_id) return seal.hash === remembered.hash;
  // The seal may have been deleted because of its age, possibly just now.
  const cut = await readCut(executor);
  if (!cut || cut.seal_id < remembered.seal_id || findCutProblem(cut, keys)) return false;
  return cut.seal_id > remembered.seal_id || cut.hash === remembered.hash;
}
