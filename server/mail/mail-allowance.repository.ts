/** Queries on how much of their allowance the recipients of mails have used up. */
import { sql } from 'kysely';
import type { Transaction } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

export type MailAllowanceRow = Tables['mail_allowances'];

type Use = {
  readonly nowMs: number;
  /** What one mail uses up. */
  readonly intervalMs: number;
  /** How much of it can be used up at a time. */
  readonly periodMs: number;
};

/** One statement, so that processes that send at once share the allowance. False if too little of it is left. */
export async function recordUse(
  transaction: Transaction,
  bucketHash: string,
  { nowMs, intervalMs, periodMs }: Use,
): Promise<boolean> {
  const lastMs = nowMs + periodMs;
  // A time far beyond the period was stored while the clock was ahead; the clocks of processes may differ a little.
  const isUsed = sql<boolean>`mail_allowances.used_until_ms > ${nowMs}
    and mail_allowances.used_until_ms <= ${lastMs + intervalMs}`;
  const nextMs = sql<number>`case when ${isUsed} then mail_allowances.used_until_ms else ${nowMs} end + ${intervalMs}`;
  const result = await transaction
    .insertInto('mail_allowances')
    .values({ bucket_hash: bucketHash, used_until_ms: nowMs + intervalMs })
    .onConflict((conflict) =>
      conflict.column('bucket_hash').doUpdateSet({ used_until_ms: nextMs }).where(nextMs, '<=', lastMs),
    )
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

/** Deletes some of those that are whole again, of any recipient. */
export async function deleteUnusedAllowances(transaction: Transaction, nowMs: number, limit: number): Promise<void> {
  const unused = transaction
    .selectFrom('mail_allowances')
    .select('bucket_hash')
    .where('used_until_ms', '<=', nowMs)
    .orderBy('used_until_ms')
    .limit(sql.lit(limit));
  await transaction.deleteFrom('mail_allowances').where('bucket_hash', 'in', unused).execute();
}
