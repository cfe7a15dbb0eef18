/** Signs the chain of the audit log with a key derived from the newest master key. */
import type { Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import { readCut, readHead, saveCut, saveHead } from './audit.repository.ts';
import { type AuditKeys, findCutProblem, isHeadValid, signCut, signHead } from './audit-chain.rules.ts';

/**
 * Used when the master key is replaced. A signature that is not valid under any of the keys is left as it is, so
 * re-signing hides nothing and may be repeated after an interruption.
 */
export async function resignChain(transaction: Transaction, keys: AuditKeys): Promise<void> {
  const [newest] = keys;
  await lockByName(transaction, 'audit chain');
  const [head, cut] = [await readHead(transaction), await readCut(transaction)];
  if (head && isHeadValid(head, keys)) await saveHead(transaction, signHead(head, newest));
  if (cut && findCutProblem(cut, keys) === undefined) await saveCut(transaction, signCut(cut, newest));
}
