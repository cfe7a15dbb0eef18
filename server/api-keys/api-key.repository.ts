/** Queries on the API keys. A user has at most one current key; revoked ones stay as history. */
import { sql } from 'kysely';
import { accountChanged } from '../database/account-changes.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { postpone } from '../database/row-locks.ts';
import type { Tables } from '../database/tables.ts';

export type ApiKeyRow = Tables['api_keys'];

export function findCurrentApiKey(executor: Executor, userId: string): Promise<ApiKeyRow | undefined> {
  return executor
    .selectFrom('api_keys')
    .selectAll()
    .where('user_id', '=', userId)
    .where('revoked_at_ms', 'is', null)
    .executeTakeFirst();
}

/** Whether any user has a current key with this hash. */
export async function isCurrentKeyHash(executor: Executor, keyHash: string): Promise<boolean> {
  const row = await executor
    .selectFrom('api_keys')
    .select('id')
    .where('key_hash', '=', keyHash)
    .where('revoked_at_ms', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a legacy key was ever imported. The literal lets the database use the index of legacy keys. */
export async function hasLegacyKeys(executor: Executor): Promise<boolean> {
  const row = await executor
    .selectFrom('api_keys')
    .select('is_legacy')
    .where('is_legacy', '=', sql.lit(1))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertApiKey(transaction: Transaction, row: ApiKeyRow): Promise<void> {
  accountChanged(transaction, row.user_id);
  await postpone(transaction, transaction.insertInto('api_keys').values(row));
}

/** Revokes the current key of the user, if there is one. */
export async function revokeCurrentApiKey(transaction: Transaction, userId: string, nowMs: number): Promise<void> {
  accountChanged(transaction, userId);
  const current = transaction
    .updateTable('api_keys')
    .set({ revoked_at_ms: nowMs })
    .where('user_id', '=', userId)
    .where('revoked_at_ms', 'is', null);
  await postpone(transaction, current);
}
