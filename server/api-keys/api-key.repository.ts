/** Queries on the API keys. A user has at most one current key; revoked ones stay as history. */
import { sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import { postpone } from '../database/row-locks.ts';
import type { Tables } from '../database/tables.ts';

export type ApiKeyRow = Tables['api_keys'];

/** A current key with all that its validation needs; null where its user has no subscription. */
export type KeyValidationRow = Pick<ApiKeyRow, 'is_legacy' | 'legacy_expires_at_ms'> & {
  plan: string | null;
  status: Tables['subscriptions']['status'] | null;
  current_period_end_ms: number | null;
  api_access: 0 | 1 | null;
  csv_export: 0 | 1 | null;
  free_csv_export: 0 | 1 | null;
};

/** The query of key validation, the most frequent of all: compiled once, one look-up by the hash. */
export function prepareKeyValidation(executor: Executor): (keyHash: string) => Promise<KeyValidationRow | undefined> {
  const query = executor
    .selectFrom('api_keys as key')
    .leftJoin('subscriptions as owned', 'owned.user_id', 'key.user_id')
    .leftJoin('plans as plan', 'plan.name', 'owned.plan')
    .leftJoin('plans as free', (join) => join.on('free.name', '=', sql.lit('free')))
    .select([
      'key.is_legacy',
      'key.legacy_expires_at_ms',
      'owned.plan',
      'owned.status',
      'owned.current_period_end_ms',
      'plan.api_access',
      'plan.csv_export',
      'free.csv_export as free_csv_export',
    ])
    .where('key.revoked_at_ms', 'is', null)
    .where('key.key_hash', '=', '')
    .compile();
  return async (keyHash) => {
    const { rows } = await executor.executeQuery<KeyValidationRow>({ ...query, parameters: [keyHash] });
    return rows[0];
  };
}

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
  await postpone(transaction, transaction.insertInto('api_keys').values(row));
}

/** Revokes the current key of the user, if there is one. */
export async function revokeCurrentApiKey(transaction: Transaction, userId: string, nowMs: number): Promise<void> {
  const current = transaction
    .updateTable('api_keys')
    .set({ revoked_at_ms: nowMs })
    .where('user_id', '=', userId)
    .where('revoked_at_ms', 'is', null);
  await postpone(transaction, current);
}
