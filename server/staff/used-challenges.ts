/** Remembers challenges that were used, so that they cannot be used again. */
import type { Transaction } from '../database/database.ts';
import { insertNew } from '../database/queries.ts';
import type { Tables } from '../database/tables.ts';

/** Records the use of a challenge; returns false if it was used before. Deletes challenges that have expired. */
export async function consumeChallenge(
  transaction: Transaction,
  challenge: Tables['used_challenges'],
  nowMs: number,
): Promise<boolean> {
  await transaction.deleteFrom('used_challenges').where('expires_at_ms', '<=', nowMs).execute();
  return insertNew(transaction, 'used_challenges', challenge);
}
