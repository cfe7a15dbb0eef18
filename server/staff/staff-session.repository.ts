/** Queries on staff sessions. */
import type { Executor, Transaction } from '../database/database.ts';
import { lockRows } from '../database/row-locks.ts';
import type { Tables } from '../database/tables.ts';

export type StaffSessionRow = Tables['staff_sessions'];

/** A session with its staff member. */
type OwnedStaffSession = StaffSessionRow &
  Pick<Tables['staff'], 'role'> &
  Pick<Tables['users'], 'email' | 'full_name' | 'password_hash'>;

export function findStaffSession(
  executor: Executor,
  by: { readonly token_hash: string } | { readonly id: string },
): Promise<OwnedStaffSession | undefined> {
  const query = executor
    .selectFrom('staff_sessions')
    .innerJoin('staff', 'staff.user_id', 'staff_sessions.user_id')
    .innerJoin('users', 'users.id', 'staff.user_id')
    .selectAll('staff_sessions')
    .select(['staff.role', 'users.email', 'users.full_name', 'users.password_hash']);
  if ('id' in by) return query.where('staff_sessions.id', '=', by.id).executeTakeFirst();
  return query.where('staff_sessions.token_hash', '=', by.token_hash).executeTakeFirst();
}

/** Locks the session until the transaction ends: nobody else can end it. */
export function lockStaffSession(transaction: Transaction, id: string): Promise<void> {
  return lockRows(transaction, () => transaction.selectFrom('staff_sessions').select('id').where('id', '=', id));
}

/** Returns the sessions of one member, or of everyone, most recently used first. */
export function listStaffSessions(executor: Executor, userId?: string): Promise<StaffSessionRow[]> {
  const query = executor
    .selectFrom('staff_sessions')
    .selectAll()
    .orderBy('last_used_at_ms', 'desc')
    .orderBy('id', 'desc');
  return (userId === undefined ? query : query.where('user_id', '=', userId)).execute();
}

export async function insertStaffSession(transaction: Transaction, row: StaffSessionRow): Promise<void> {
  await transaction.insertInto('staff_sessions').values(row).execute();
}

/** Updates a session; returns false if it does not exist. */
export async function updateStaffSession(
  transaction: Transaction,
  id: string,
  change: Partial<Pick<StaffSessionRow, 'token_hash' | 'last_used_at_ms' | 'confirmed_at_ms'>>,
): Promise<boolean> {
  const result = await transaction.updateTable('staff_sessions').set(change).where('id', '=', id).executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function deleteStaffSession(
  transaction: Transaction,
  by: { readonly id: string; readonly user_id: string },
): Promise<boolean> {
  const result = await transaction
    .deleteFrom('staff_sessions')
    .where('id', '=', by.id)
    .where('user_id', '=', by.user_id)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function deleteSessionByToken(transaction: Transaction, tokenHash: string): Promise<void> {
  await transaction.deleteFrom('staff_sessions').where('token_hash', '=', tokenHash).execute();
}

/** Deletes all sessions of the member except the one to keep, if any. */
export async function deleteSessionsOf(transaction: Transaction, userId: string, keptId?: string): Promise<void> {
  const sessions = transaction.deleteFrom('staff_sessions').where('user_id', '=', userId);
  await (keptId === undefined ? sessions : sessions.where('id', '!=', keptId)).execute();
}

export async function deleteExpiredSessions(transaction: Transaction, nowMs: number): Promise<void> {
  await transaction.deleteFrom('staff_sessions').where('expires_at_ms', '<=', nowMs).execute();
}
