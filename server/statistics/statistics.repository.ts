/** Counting queries: rows of large tables in parts, audit log entries, and stored earlier counts. */
import { type AliasableExpression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import { notReplaced } from '../database/subscription-in-force.ts';
import type { Tables } from '../database/tables.ts';

/** A table and what is counted in it, each as a condition on a row. */
export type CountedTable = {
  readonly table: 'users' | 'subscriptions' | 'licenses' | 'activations' | 'api_keys';
  readonly counts: Readonly<Record<string, AliasableExpression<SqlBool>>>;
};

/** Counts up to `limit` rows after an id. The next part starts after `lastId`, which is null if there were no rows. */
export async function countPart(
  executor: Executor,
  { table, counts }: CountedTable,
  { afterId, limit }: { afterId: string; limit: number },
) {
  const part = executor
    .selectFrom(table)
    .select(['id', ...Object.entries(counts).map(([name, condition]) => condition.as(name))])
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(sql.lit(limit))
    .as('part');
  const row: Readonly<Record<string, unknown>> = await executor
    .selectFrom(part)
    .select(({ fn }) => [
      fn.countAll<number>().as('scanned'),
      fn.max('id').as('last_id'),
      ...Object.keys(counts).map((name) => fn.countAll<number>().filterWhere(sql.ref<SqlBool>(name)).as(name)),
    ])
    .executeTakeFirstOrThrow();
  return {
    scanned: Number(row.scanned),
    lastId: row.last_id === null ? null : String(row.last_id),
    counts: Object.fromEntries(Object.keys(counts).map((name) => [name, Number(row[name])])),
  };
}

export function readTotals(executor: Executor): Promise<Tables['totals'][]> {
  return executor.selectFrom('totals').selectAll().execute();
}

export async function findTotal(executor: Executor, name: string): Promise<Tables['totals'] | undefined> {
  return executor.selectFrom('totals').selectAll().where('name', '=', name).executeTakeFirst();
}

export async function saveTotal(transaction: Transaction, row: Tables['totals']): Promise<void> {
  await transaction
    .insertInto('totals')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute();
}

/** Returns the counts of this day and later ones. */
export function readDailyCounts(executor: Executor, sinceDay: string): Promise<Tables['daily_counts'][]> {
  return executor.selectFrom('daily_counts').selectAll().where('day', '>=', sinceDay).execute();
}

export async function addDailyCount(transaction: Transaction, row: Tables['daily_counts']): Promise<void> {
  await transaction
    .insertInto('daily_counts')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['day', 'name']).doUpdateSet((eb) => ({ value: eb('daily_counts.value', '+', row.value) })),
    )
    .execute();
}

/** Raises a count; never lowers it. */
export async function raiseDailyCount(transaction: Transaction, row: Tables['daily_counts']): Promise<void> {
  await transaction
    .insertInto('daily_counts')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['day', 'name']).doUpdateSet({ value: row.value }).where('daily_counts.value', '<', row.value),
    )
    .execute();
}

export async function deleteDailyCountsBefore(transaction: Transaction, day: string): Promise<void> {
  await transaction.deleteFrom('daily_counts').where('day', '<', day).execute();
}

export type EventCount = { readonly action: string; readonly details: string; readonly entries: number };

/** Counts audit log entries between two ids by action, and refusals also by details. */
export async function countEvents(
  executor: Executor,
  actions: { readonly plain: readonly string[]; readonly refusals: readonly string[] },
  range: { readonly afterId: string; readonly beforeId: string; readonly limit: number },
) {
  const part = executor
    .selectFrom('audit_events')
    .select(['id', 'action', 'details'])
    .where('id', '>', range.afterId)
    .where('id', '<', range.beforeId)
    .orderBy('id')
    .limit(sql.lit(range.limit))
    .as('part');
  const end = await executor
    .selectFrom(part)
    .select(({ fn }) => [fn.countAll<number>().as('scanned'), fn.max('id').as('last_id')])
    .executeTakeFirst();
  const counted = await executor
    .selectFrom(part)
    .select((eb) => [
      'action',
      eb.case().when('action', 'in', actions.refusals).then(eb.ref('details')).else('').end().as('refusal'),
      eb.fn.countAll<number>().as('entries'),
    ])
    .where('action', 'in', [...actions.plain, ...actions.refusals])
    .groupBy(['action', 'refusal'])
    .execute();
  return {
    scanned: end?.scanned ?? 0,
    lastId: end?.last_id ?? null,
    counts: counted.map(({ action, refusal, entries }) => ({ action, details: refusal, entries })),
  };
}

type AttentionRange = {
  readonly nowMs: number;
  /** Things that end by this time need attention. */
  readonly untilMs: number;
  /** Failures since this time need attention. */
  readonly sinceMs: number;
  readonly limit: number;
};

/** Counts what needs attention, each up to a limit. */
export function countAttention(executor: Executor, range: AttentionRange) {
  const { nowMs, untilMs, sinceMs } = range;
  const limit = sql.lit(range.limit);
  const ended = executor
    .selectFrom('event_deliveries')
    .select('state')
    .where('ended_at_ms', '>', sinceMs)
    .orderBy('ended_at_ms', 'desc')
    .limit(limit)
    .as('ended');
  const count = <DB, Table extends keyof DB, Row>(rows: SelectQueryBuilder<DB, Table, Row>) =>
    executor
      .selectFrom(rows.limit(limit).as('counted'))
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .$asScalar();
  const [subscriptions, licenses] = [executor.selectFrom('subscriptions'), executor.selectFrom('licenses')];
  const legacyKeys = executor.selectFrom('api_keys').where('is_legacy', '=', sql.lit(1));
  const deadLetters = executor.selectFrom('billing_events').where('state', '=', sql.lit('dead_letter'));
  const pastDue = subscriptions
    .where('is_replaced', '=', notReplaced)
    .where('status', '=', 'past_due')
    .where('current_period_end_ms', '>', nowMs);
  const licensesEnding = licenses
    .where('expires_at_ms', '>', nowMs)
    .where('expires_at_ms', '<=', untilMs)
    // By the bare column, SQLite would read all active licenses, rather than those that end by then.
    .where(sql<string>`status || ''`, '=', 'active');
  const legacyKeysEnding = legacyKeys
    .where('revoked_at_ms', 'is', null)
    .where('legacy_expires_at_ms', '>', nowMs)
    .where('legacy_expires_at_ms', '<=', untilMs);
  return executor
    .selectNoFrom([
      count(pastDue.select('id')).as('pastDue'),
      count(licensesEnding.select('id')).as('licensesEnding'),
      count(legacyKeysEnding.select('id')).as('legacyKeysEnding'),
      count(executor.selectFrom(ended).select('state').where('state', '=', 'failed')).as('webhookFailures'),
      // Those among which the failed ones were counted.
      count(executor.selectFrom(ended).select('state')).as('endedDeliveries'),
      count(deadLetters.select('id')).as('billingUnknown'),
    ])
    .executeTakeFirstOrThrow();
}
