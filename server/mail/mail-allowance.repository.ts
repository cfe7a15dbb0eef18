/** Queries on the used mail allowances of recipients. */
import { sql } from 'kysely';
import type { Transaction } from '../database/database.ts';

type Use = {
  readonly nowMs: number;
  /** Time that one mail uses up. */
  readonly intervalMs: number;
  /** Maximum time that can be used up at once. */
  readonly periodMs: number;
};

/**
 * Records one mail; returns false if too little of the allowance is left. A single statement, so that processes sending
 * at the same time share the allowance.
 */
export async function recordUse(
  transaction: Transaction,
  bucketHash: string,
  { nowMs, intervalMs, periodMs }: Use,
): Promise<boolean> {
  const lastMs = nowMs + periodMs;
  // A time far beyond the period was stored while the clock was ahead; the clocks of processes may differ slightly.
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

/** Deletes up to `limit` fully restored allowances, of any recipient. */
export async function deleteUnusedAllowances(transaction: Transaction, nowMs: number, limit: number): Promise<void> {
  const unused = transaction
    .selectFrom('mail_allowances')
    .select('bucket_hash')
    .where('used_until_ms', '<=', nowMs)
    .orderBy('used_until_ms')
    .limit(sql.lit(limit));
  await transaction.deleteFrom('mail_allowances').where('bucket_hash', 'in', unused).execute();
}
