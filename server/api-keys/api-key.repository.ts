/** Queries on API keys. A user has at most one current key; revoked ones are kept as history. */
import { sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import { exists, insertRows, oneOf } from '../database/queries.ts';
import type { Tables } from '../database/tables.ts';

export type ApiKeyRow = Tables['api_keys'];

function selectApiKeys(executor: Executor) {
  return executor.selectFrom('api_keys').selectAll();
}

export function findCurrentApiKey(executor: Executor, userId: string): Promise<ApiKeyRow | undefined> {
  return selectApiKeys(executor).where('user_id', '=', userId).where('revoked_at_ms', 'is', null).executeTakeFirst();
}

export function findCurrentApiKeyByHash(executor: Executor, keyHash: string): Promise<ApiKeyRow | undefined> {
  return selectApiKeys(executor).where('key_hash', '=', keyHash).where('revoked_at_ms', 'is', null).executeTakeFirst();
}

/** Returns the most recently created key of the user. */
export function findLastApiKey(executor: Executor, userId: string): Promise<ApiKeyRow | undefined> {
  return selectApiKeys(executor)
    .where('user_id', '=', userId)
    .orderBy('created_at_ms', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Revokes the key and marks it as reported. */
export async function revokeReportedApiKey(transaction: Transaction, row: ApiKeyRow, nowMs: number): Promise<void> {
  const change = { revoked_at_ms: nowMs, reported_at_ms: nowMs };
  await transaction.updateTable('api_keys').set(change).where('id', '=', row.id).execute();
}

/** Returns true if a legacy key was ever imported. The literal lets the database use the index of legacy keys. */
export function hasLegacyKeys(executor: Executor): Promise<boolean> {
  return exists(executor.selectFrom('api_keys').where('is_legacy', '=', sql.lit(1)));
}

export async function insertApiKey(transaction: Transaction, row: ApiKeyRow): Promise<void> {
  await transaction.insertInto('api_keys').values(row).execute();
}

/** Returns the hashes of all keys that these users have or had. */
export async function findHashesOf(executor: Executor, userIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await executor
    .selectFrom('api_keys')
    .select('key_hash')
    .where('user_id', ...oneOf(executor, userIds))
    .execute();
  return new Set(rows.map(({ key_hash }) => key_hash));
}

/** Returns which of the hashes belong to current keys. */
export async function findCurrentHashes(
  executor: Executor,
  keyHashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await executor
    .selectFrom('api_keys')
    .select('key_hash')
    .where('key_hash', ...oneOf(executor, keyHashes))
    .where('revoked_at_ms', 'is', null)
    .execute();
  return new Set(rows.map(({ key_hash }) => key_hash));
}

/** Inserts keys, replacing the current keys of their users. At most one of each user's keys may be current. */
export async function replaceApiKeys(
  transaction: Transaction,
  rows: readonly ApiKeyRow[],
  nowMs: number,
): Promise<void> {
  const userIds = [...new Set(rows.map(({ user_id }) => user_id))];
  await revokeCurrentApiKeys(transaction, userIds, nowMs);
  await insertRows(transaction, 'api_keys', rows);
}

/** Revokes the current keys of those of the users who have one. */
export async function revokeCurrentApiKeys(
  transaction: Transaction,
  userIds: readonly string[],
  nowMs: number,
): Promise<void> {
  const current = transaction
    .updateTable('api_keys')
    .set({ revoked_at_ms: nowMs })
    .where('user_id', ...oneOf(transaction, userIds))
    .where('revoked_at_ms', 'is', null);
  await current.execute();
}

/** How many revoked keys of a user are kept. */
const keptKeys = 100;
const deletedAtOnce = sql.lit(100);

/**
 * Deletes the oldest revoked keys of a user, who can replace a key any number of times. Not legacy keys: an import of
 * the same file would no longer know that they were revoked.
 */
export async function deleteOldApiKeys(transaction: Transaction, userId: string): Promise<void> {
  const old = transaction
    .selectFrom('api_keys')
    .select('id')
    .where('user_id', '=', userId)
    .where('revoked_at_ms', 'is not', null)
    .where('is_legacy', '=', 0)
    .orderBy('created_at_ms', 'desc')
    .orderBy('id', 'desc')
    .limit(deletedAtOnce)
    .offset(sql.lit(keptKeys));
  await transaction.deleteFrom('api_keys').where('id', 'in', old).execute();
}
