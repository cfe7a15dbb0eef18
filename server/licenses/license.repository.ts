/** Queries on the licenses. */
import type { Executor, Transaction } from '../database/database.ts';
import type { LicenseStatus, Tables } from '../database/tables.ts';

export type LicenseRow = Tables['licenses'];

/** With the email address of its owner, who may be nobody. */
export type OwnedLicenseRow = LicenseRow & { readonly email: string | null };

export function findLicenseByHash(executor: Executor, keyHash: string): Promise<LicenseRow | undefined> {
  return executor.selectFrom('licenses').selectAll().where('key_hash', '=', keyHash).executeTakeFirst();
}

/** The licenses of an account, newest first. */
export function listLicensesOf(executor: Executor, userId: string): Promise<LicenseRow[]> {
  return executor
    .selectFrom('licenses')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at_ms', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** Licenses with their owners, oldest first: all, those of an account, or the one of an id. */
export function listOwnedLicenses(
  executor: Executor,
  only: { userId?: string; id?: string },
): Promise<OwnedLicenseRow[]> {
  let query = executor
    .selectFrom('licenses')
    .leftJoin('users', 'users.id', 'licenses.user_id')
    .selectAll('licenses')
    .select('users.email')
    .orderBy('licenses.created_at_ms')
    .orderBy('licenses.id');
  if (only.userId !== undefined) query = query.where('licenses.user_id', '=', only.userId);
  if (only.id !== undefined) query = query.where('licenses.id', '=', only.id);
  return query.execute();
}

export async function insertLicense(transaction: Transaction, row: LicenseRow): Promise<void> {
  await transaction.insertInto('licenses').values(row).execute();
}

export async function changeLicense(
  transaction: Transaction,
  id: string,
  change: { status?: LicenseStatus; user_id?: string; updated_at_ms: number },
): Promise<void> {
  await transaction.updateTable('licenses').set(change).where('id', '=', id).execute();
}
