/** Queries on licenses. */
import type { Executor, Transaction } from '../database/database.ts';
import type { PageRequest } from '../database/list.ts';
import { count, insertRows, oneOf } from '../database/queries.ts';
import { lockRows } from '../database/row-locks.ts';
import type { Tables } from '../database/tables.ts';
import { isUuid } from '../random.ts';

export type LicenseRow = Tables['licenses'];

/** A license with the email address of its owner; null if it has none. */
export type OwnedLicenseRow = LicenseRow & { readonly email: string | null };

export function findLicenseByHash(executor: Executor, keyHash: string): Promise<LicenseRow | undefined> {
  return executor.selectFrom('licenses').selectAll().where('key_hash', '=', keyHash).executeTakeFirst();
}

/**
 * Locks the license with this key until the transaction ends: nobody else can activate a device on it, release one, or
 * claim or change the license.
 */
export function lockLicenseByHash(transaction: Transaction, keyHash: string): Promise<void> {
  return lockRows(transaction, () => transaction.selectFrom('licenses').select('id').where('key_hash', '=', keyHash));
}

/** Selects licenses with the email of their owners. */
export function selectOwnedLicenses(executor: Executor) {
  return executor
    .selectFrom('licenses')
    .leftJoin('users', 'users.id', 'licenses.user_id')
    .selectAll('licenses')
    .select('users.email');
}

/**
 * Returns all licenses with their owners, those of a user, or one license, oldest first; with `page` only that page.
 */
export function listOwnedLicenses(
  executor: Executor,
  only: { userId?: string; licenseId?: string; page?: PageRequest },
): Promise<OwnedLicenseRow[]> {
  let query = selectOwnedLicenses(executor).orderBy('licenses.id');
  if (only.userId !== undefined) query = query.where('licenses.user_id', '=', only.userId);
  if (only.licenseId !== undefined) query = query.where('licenses.id', '=', only.licenseId);
  if (only.page !== undefined) query = query.where('licenses.id', '>', only.page.after ?? '').limit(only.page.limit);
  return query.execute();
}

/** Returns how many licenses an account has, and on how many devices they are active. */
export async function countLicensesOf(executor: Executor, userId: string): Promise<LicenseTotals> {
  const licenses = await count(executor.selectFrom('licenses').where('user_id', '=', userId));
  const rows = await executor
    .selectFrom('activations')
    .innerJoin('licenses', 'licenses.id', 'activations.license_id')
    .select(['licenses.with_subscription', ({ fn }) => fn.countAll<number>().as('devices')])
    .where('licenses.user_id', '=', userId)
    .where('activations.released_at_ms', 'is', null)
    .groupBy('licenses.with_subscription')
    .execute();
  const devicesOf = (value: number) => rows.find((row) => row.with_subscription === value)?.devices ?? 0;
  const [independent, dependent] = [devicesOf(0), devicesOf(1)];
  return { licenses, devices: independent + dependent, devices_with_subscription: dependent };
}

export type LicenseTotals = {
  readonly licenses: number;
  readonly devices: number;
  readonly devices_with_subscription: number;
};

export async function insertLicense(transaction: Transaction, row: LicenseRow): Promise<void> {
  await transaction.insertInto('licenses').values(row).execute();
}

/** Returns which of the hashes belong to existing licenses. */
export async function findExistingHashes(
  executor: Executor,
  keyHashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await executor
    .selectFrom('licenses')
    .select('key_hash')
    .where('key_hash', ...oneOf(executor, keyHashes))
    .execute();
  return new Set(rows.map(({ key_hash }) => key_hash));
}

export async function insertLicenses(transaction: Transaction, rows: readonly LicenseRow[]): Promise<void> {
  await insertRows(transaction, 'licenses', rows);
}

/**
 * Locks the license against changes by others until the transaction ends, and returns it; `undefined` if there is none.
 */
export async function lockAndFindLicense(transaction: Transaction, id: string): Promise<LicenseRow | undefined> {
  if (isUuid(id))
    await lockRows(transaction, () => transaction.selectFrom('licenses').select('id').where('id', '=', id));
  return findLicenseById(transaction, id);
}

/** Returns the license with this id; `undefined` if there is none, also for any other text. */
export async function findLicenseById(executor: Executor, id: string): Promise<LicenseRow | undefined> {
  if (!isUuid(id)) return undefined;
  return executor.selectFrom('licenses').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function changeLicense(
  transaction: Transaction,
  id: string,
  change: Partial<LicenseRow> & Pick<LicenseRow, 'updated_at_ms'>,
): Promise<void> {
  await transaction.updateTable('licenses').set(change).where('id', '=', id).execute();
}

/** Locks the user's licenses until the transaction ends: nobody else can activate a device on one or change it. */
export function lockLicensesOf(transaction: Transaction, userId: string): Promise<void> {
  const licenses = () => transaction.selectFrom('licenses').select('id').where('user_id', '=', userId).orderBy('id');
  return lockRows(transaction, licenses);
}

/**
 * Returns the user's licenses that were never activated on a device, were not bought and do not depend on the
 * subscription.
 */
export function listUnusedLicenses(
  executor: Executor,
  userId: string,
): Promise<Pick<LicenseRow, 'id' | 'key_preview'>[]> {
  return executor
    .selectFrom('licenses')
    .select(['id', 'key_preview'])
    .where('user_id', '=', userId)
    .where('with_subscription', '=', 0)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('activations').select('id').whereRef('license_id', '=', 'licenses.id'))),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('provider_subscriptions').select('reference').whereRef('license_id', '=', 'licenses.id'))),
    )
    .orderBy('id')
    .execute();
}

/** Forgets that a refund has suspended the license; returns false if none has. */
export async function clearRefundSuspension(transaction: Transaction, licenseId: string): Promise<boolean> {
  const result = await transaction
    .updateTable('provider_subscriptions')
    .set({ is_license_suspended: 0 })
    .where('license_id', '=', licenseId)
    .where('is_license_suspended', '=', 1)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
