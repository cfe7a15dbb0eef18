/** Queries on user accounts. */
import { parseEmail } from '../../shared/formats/email.ts';
import type { Executor, Transaction } from '../database/database.ts';
import type { PageRequest } from '../database/list.ts';
import { insertNew, insertRows, oneOf } from '../database/queries.ts';
import type { Tables } from '../database/tables.ts';
import { ApiError } from '../errors.ts';

export type UserRow = Tables['users'];

export function findUserByEmailKey(executor: Executor, emailKey: string): Promise<UserRow | undefined> {
  return executor.selectFrom('users').selectAll().where('email_key', '=', emailKey).executeTakeFirst();
}

/**
 * Finds the account with this email, ignoring case. Returns `undefined` also for a text that is not an email address.
 */
export async function findUserByEmail(executor: Executor, email: string): Promise<UserRow | undefined> {
  const key = parseEmail(email)?.key;
  return key === undefined ? undefined : findUserByEmailKey(executor, key);
}

/** Like `findUserByEmail`, but throws `ApiError` USER_NOT_FOUND if there is no such user. */
export async function requireUserByEmail(executor: Executor, email: string): Promise<UserRow> {
  const row = await findUserByEmail(executor, email);
  if (!row) throw new ApiError('USER_NOT_FOUND');
  return row;
}

export function findUserById(executor: Executor, id: string): Promise<UserRow | undefined> {
  return executor.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns the existing accounts among those with these email keys. */
export function findUsersByEmailKeys(executor: Executor, emailKeys: readonly string[]): Promise<UserRow[]> {
  return executor
    .selectFrom('users')
    .selectAll()
    .where('email_key', ...oneOf(executor, emailKeys))
    .execute();
}

/** Returns a page of all accounts, oldest first. */
export function listUsers(executor: Executor, { limit, after = '' }: PageRequest): Promise<UserRow[]> {
  return executor.selectFrom('users').selectAll().where('id', '>', after).orderBy('id').limit(limit).execute();
}

/** Inserts an account; returns false if one with this email exists already. */
export function insertUser(transaction: Transaction, row: UserRow): Promise<boolean> {
  return insertNew(transaction, 'users', row);
}

/** Inserts accounts. None of their emails may be in use. */
export async function insertUsers(transaction: Transaction, rows: readonly UserRow[]): Promise<void> {
  await insertRows(transaction, 'users', rows);
}

export async function updateUser(
  transaction: Transaction,
  id: string,
  change: Partial<Omit<UserRow, 'id' | 'created_at_ms'>>,
): Promise<void> {
  await transaction.updateTable('users').set(change).where('id', '=', id).execute();
}

/** Deletes all networks from which the account has signed in. */
export async function deleteKnownNetworks(transaction: Transaction, userId: string): Promise<void> {
  await transaction.deleteFrom('known_networks').where('user_id', '=', userId).execute();
}

/** Deletes the account and, through foreign keys, everything that belongs to it. */
export async function deleteUser(transaction: Transaction, id: string): Promise<void> {
  // Subscriptions of the operator's own system are stored under the account's id, others under the provider's id, so
  // there is no foreign key.
  const own = transaction.deleteFrom('provider_subscriptions').where('provider', '=', 'webhook');
  await own.where('reference', '=', id).execute();
  await transaction.deleteFrom('users').where('id', '=', id).execute();
}
