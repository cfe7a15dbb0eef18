/** Queries on saved responses to requests with an Idempotency-Key. */
import type { Transaction } from '../database/database.ts';
import { readAndLockRows } from '../database/row-locks.ts';
import type { Tables } from '../database/tables.ts';

type IdempotentResponseRow = Tables['idempotent_responses'];

/** Locks the account, so that its requests are handled one after the other; returns false if it does not exist. */
export async function lockAndFindUser(transaction: Transaction, userId: string): Promise<boolean> {
  const user = transaction.selectFrom('users').select('id').where('id', '=', userId);
  return (await readAndLockRows(transaction, user)).length > 0;
}

/** Returns the saved response; `undefined` if it has expired. */
export function findIdempotentResponse(
  transaction: Transaction,
  key: Pick<IdempotentResponseRow, 'user_id' | 'idempotency_key_hash'>,
  nowMs: number,
): Promise<IdempotentResponseRow | undefined> {
  return transaction
    .selectFrom('idempotent_responses')
    .selectAll()
    .where('user_id', '=', key.user_id)
    .where('idempotency_key_hash', '=', key.idempotency_key_hash)
    .where('expires_at_ms', '>', nowMs)
    .executeTakeFirst();
}

/** Saves a response, replacing one with the same key. */
export async function putIdempotentResponse(transaction: Transaction, row: IdempotentResponseRow): Promise<void> {
  const { user_id, idempotency_key_hash, ...values } = row;
  await transaction
    .insertInto('idempotent_responses')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'idempotency_key_hash']).doUpdateSet(values))
    .execute();
}

export async function deleteExpiredResponses(transaction: Transaction, userId: string, nowMs: number): Promise<void> {
  await transaction
    .deleteFrom('idempotent_responses')
    .where('user_id', '=', userId)
    .where('expires_at_ms', '<=', nowMs)
    .execute();
}
