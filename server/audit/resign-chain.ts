/** Signs the chain of the audit log under another master key. */
import type { Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import { readCut, readHead, saveCut, saveHead } from './audit.repository.ts';
import { auditKey, findCutProblem, isHeadValid, signCut, signHead } from './audit-chain.rules.ts';

/**
 * For the replacement of the master key. A signature that is not valid under the present key stays as it is, so that this
 * hides nothing, and may be repeated after an interruption.
 */
export async function resignChain(
  transaction: Transaction,
  { from, to }: { readonly from: Uint8Array; readonly to: Uint8Array },
): Promise<void> {
  const [present, next] = [auditKey(from), auditKey(to)];
  await lockByName(transaction, 'audit chain');
  const [head, cut] = [await readHead(transaction), await readCut(transaction)];
  if (head && isHeadValid(head, present)) await saveHead(transaction, signHead(head, next));
  if (cut && findCutProblem(cut, present) === undefined) await saveCut(transaction, signCut(cut, next));
}
