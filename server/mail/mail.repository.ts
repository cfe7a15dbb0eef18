/** Queries on the mail queue. */
import type { Executor, Transaction } from '../database/database.ts';
import { count, exists, insertNew } from '../database/queries.ts';
import { skipLocked } from '../database/row-locks.ts';
import type { Tables } from '../database/tables.ts';

export type MailRow = Tables['mails'];

/** Inserts a mail; does nothing if one with the same `dedupe_key` is already waiting. */
export async function insertMail(transaction: Transaction, row: MailRow): Promise<void> {
  await insertNew(transaction, 'mails', row);
}

/** Counts the waiting mails of a kind, up to `limit`. */
export function countMails(executor: Executor, kind: string, limit: number): Promise<number> {
  const rows = executor.selectFrom('mails').select('id').where('kind', '=', kind).limit(limit).as('some');
  return count(executor.selectFrom(rows));
}

export function isMailDue(executor: Executor, nowMs: number): Promise<boolean> {
  return exists(executor.selectFrom('mails').where('next_try_at_ms', '<=', nowMs));
}

/** Reserves due mails, longest waiting first: no other process gets them until `untilMs`. */
export function claimMails(
  transaction: Transaction,
  { nowMs, untilMs, limit }: { readonly nowMs: number; readonly untilMs: number; readonly limit: number },
): Promise<MailRow[]> {
  const due = transaction
    .selectFrom('mails')
    .select('id')
    .where('next_try_at_ms', '<=', nowMs)
    .orderBy('next_try_at_ms')
    .limit(limit);
  return transaction
    .with('due', () => skipLocked(transaction, due))
    .updateTable('mails')
    .set(({ eb }) => ({ tries: eb('tries', '+', 1), next_try_at_ms: untilMs }))
    .where('id', 'in', ({ selectFrom }) => selectFrom('due').select('id'))
    .returningAll()
    .execute();
}

export async function postponeMail(transaction: Transaction, id: string, nextTryAtMs: number): Promise<void> {
  await transaction.updateTable('mails').set({ next_try_at_ms: nextTryAtMs }).where('id', '=', id).execute();
}

export async function deleteMail(transaction: Transaction, id: string): Promise<void> {
  await transaction.deleteFrom('mails').where('id', '=', id).execute();
}
