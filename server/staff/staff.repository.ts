/** Queries on staff and their one-time links. */
import type { StaffRole } from '../../shared/api/staff-role.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { count, exists } from '../database/queries.ts';
import type { Tables } from '../database/tables.ts';

type StaffRow = Tables['staff'];
export type StaffLinkRow = Tables['staff_links'];

/** A member of staff with columns of the account, and the number of passkeys. */
export type StaffAccountRow = StaffRow &
  Pick<Tables['users'], 'email' | 'full_name' | 'password_hash'> & { readonly passkeys: number };

/** Returns all staff, in the order in which they were added. */
export function listStaff(executor: Executor): Promise<StaffAccountRow[]> {
  return staffAccounts(executor).orderBy('staff.created_at_ms').orderBy('staff.user_id').execute();
}

export function findStaff(executor: Executor, userId: string): Promise<StaffAccountRow | undefined> {
  return staffAccounts(executor).where('staff.user_id', '=', userId).executeTakeFirst();
}

function staffAccounts(executor: Executor) {
  return executor
    .selectFrom('staff')
    .innerJoin('users', 'users.id', 'staff.user_id')
    .selectAll('staff')
    .select(['users.email', 'users.full_name', 'users.password_hash'])
    .select(({ selectFrom, fn }) =>
      selectFrom('passkeys')
        .whereRef('passkeys.user_id', '=', 'staff.user_id')
        .select(fn.countAll<number>().as('count'))
        .as('passkeys'),
    )
    .$narrowType<{ passkeys: number }>();
}

export function hasStaff(executor: Executor): Promise<boolean> {
  return exists(executor.selectFrom('staff'));
}

/** Adds a member, or changes the role of an existing one. */
export async function saveStaff(transaction: Transaction, row: StaffRow): Promise<void> {
  await transaction
    .insertInto('staff')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ role: row.role }))
    .execute();
}

/**
 * Removes a member. Foreign keys cascade to the member's sessions, passkeys and links, and to the links that the member
 * has created.
 */
export async function deleteStaff(transaction: Transaction, userId: string): Promise<void> {
  await transaction.deleteFrom('staff').where('user_id', '=', userId).execute();
}

/** Counts the other members with this role. */
export function countOthers(executor: Executor, role: StaffRole, userId: string): Promise<number> {
  return count(executor.selectFrom('staff').where('role', '=', role).where('user_id', '!=', userId));
}

export function findLink(executor: Executor, tokenHash: string): Promise<StaffLinkRow | undefined> {
  return executor.selectFrom('staff_links').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();
}

/** Replaces the member's link; `user_id` null means the first administrator. */
export async function replaceLink(transaction: Transaction, row: StaffLinkRow): Promise<void> {
  await deleteLinksOf(transaction, row.user_id);
  await transaction.insertInto('staff_links').values(row).execute();
}

export async function deleteLinksOf(transaction: Transaction, userId: string | null): Promise<void> {
  const links = transaction.deleteFrom('staff_links');
  await (userId === null ? links.where('user_id', 'is', null) : links.where('user_id', '=', userId)).execute();
}

/** Deletes the links that this member made, for any member. */
export async function deleteLinksBy(transaction: Transaction, makerId: string): Promise<void> {
  await transaction.deleteFrom('staff_links').where('created_by', '=', makerId).execute();
}
