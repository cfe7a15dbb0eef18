/** Queries on the mails that are still to be sent. */
import { sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import type { Tables } from '../database/tables.ts';

export type MailRow = Tables['mails'];

/** Does nothing where a mail with the same `dedupe_key` waits already. */
export async function insertMail(transaction: Transaction, row: MailRow): Promise<void> {
  await insertMailQuery.run(transaction, row);
}

const insertMailQuery = prepareQuery((executor, row: MailRow) =>
  executor
    .insertInto('mails')
    .values({
      id: row.id,
      encrypted_mail: row.encrypted_mail,
      dedupe_key: row.dedupe_key,
      created_at_ms: row.created_at_ms,
      next_try_at_ms: row.next_try_at_ms,
      give_up_at_ms: row.give_up_at_ms,
      tries: row.tries,
    })
    .onConflict((conflict) => conflict.column('dedupe_key').doNothing()),
);

/** How many mails wait, counted up to `limit`. */
export async function countMails(executor: Executor, limit: number): Promise<number> {
  const rows = executor.selectFrom('mails').select('id').limit(limit).as('some');
  const { count } = await executor
    .selectFrom(rows)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function isMailDue(executor: Executor, nowMs: number): Promise<boolean> {
  return (await findDueMailQuery.first(executor, { nowMs })) !== undefined;
}

const findDueMailQuery = prepareQuery((executor, { nowMs }: { nowMs: number }) =>
  executor.selectFrom('mails').select('id').where('next_try_at_ms', '<=', nowMs).limit(sql.lit(1)),
);

/** Takes mails that are due: until `untilMs` no other process gets them. */
export async function claimMails(
  transaction: Transaction,
  { nowMs, untilMs, limit }: { readonly nowMs: number; readonly untilMs: number; readonly limit: number },
): Promise<MailRow[]> {
  const rows = await transaction
    .selectFrom('mails')
    .selectAll()
    .where('next_try_at_ms', '<=', nowMs)
    .orderBy('next_try_at_ms')
    .limit(limit)
    .execute();
  for (const { id, tries } of rows) await claimMailQuery.run(transaction, { id, tries: tries + 1, untilMs });
  return rows.map((row) => ({ ...row, tries: row.tries + 1 }));
}

const claimMailQuery = prepareQuery((executor, claim: { id: string; tries: number; untilMs: number }) =>
  executor.updateTable('mails').set({ tries: claim.tries, next_try_at_ms: claim.untilMs }).where('id', '=', claim.id),
);

export async function postponeMail(transaction: Transaction, id: string, nextTryAtMs: number): Promise<void> {
  await postponeMailQuery.run(transaction, { id, nextTryAtMs });
}

const postponeMailQuery = prepareQuery((executor, mail: { id: string; nextTryAtMs: number }) =>
  executor.updateTable('mails').set({ next_try_at_ms: mail.nextTryAtMs }).where('id', '=', mail.id),
);

export async function deleteMail(transaction: Transaction, id: string): Promise<void> {
  await deleteMailQuery.run(transaction, { id });
}

const deleteMailQuery = prepareQuery((executor, { id }: { id: string }) =>
  executor.deleteFrom('mails').where('id', '=', id),
);
