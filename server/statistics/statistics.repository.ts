/** Counting queries: rows of large tables in parts, audit log entries, and stored earlier counts. */
import { type RawBuilder, sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

/** A table and what is counted in it, each as a condition on a row. */
export type CountedTable = {
  readonly table: 'users' | 'subscriptions' | 'licenses' | 'activations' | 'api_keys';
  readonly counts: Readonly<Record<string, RawBuilder<unknown>>>;
};

type PartialCount = {
  readonly scanned: number;
  /** Id after which the next part starts; null if there were no rows. */
  readonly lastId: string | null;
  readonly counts: Readonly<Record<string, number>>;
};

/** Counts up to `limit` rows after an id. */
export async function countPart(
  executor: Executor,
  { table, counts }: CountedTable,
  { afterId, limit }: { afterId: string; limit: number },
): Promise<PartialCount> {
  const names = Object.keys(counts);
  const sums = Object.entries(counts).map(
    ([name, condition]) => sql`sum(case when ${condition} then 1 else 0 end) as ${sql.ref(name)}`,
  );
  const { rows } = await sql<Record<string, number | string | null>>`
    select count(*) as scanned, max(id) as last_id, ${sql.join(sums)}
    from (select * from ${sql.table(table)} where id > ${afterId} order by id limit ${sql.lit(limit)}) as part`.execute(
    executor,
  );
  const row = rows[0] ?? {};
  return {
    scanned: Number(row.scanned ?? 0),
    lastId: row.last_id === null || row.last_id === undefined ? null : String(row.last_id),
    counts: Object.fromEntries(names.map((name) => [name, Number(row[name] ?? 0)])),
  };
}

export function readTotals(executor: Executor): Promise<Tables['totals'][]> {
  return executor.selectFrom('totals').selectAll().execute();
}

export async function findTotal(executor: Executor, name: string): Promise<Tables['totals'] | undefined> {
  return executor.selectFrom('totals').selectAll().where('name', '=', name).executeTakeFirst();
}

export async function saveTotal(transaction: Transaction, row: Tables['totals']): Promise<void> {
  const { name: _name, ...changed } = row;
  await transaction
    .insertInto('totals')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(changed))
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
      conflict.columns(['day', 'name']).doUpdateSet(({ ref }) => ({
        value: sql<number>`${ref('daily_counts.value')} + ${row.value}`,
      })),
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

type EventPart = {
  readonly scanned: number;
  readonly lastId: string | null;
  readonly counts: readonly EventCount[];
};

/** Counts audit log entries between two ids by action, and refusals also by details. */
export async function countEvents(
  executor: Executor,
  actions: { readonly plain: readonly string[]; readonly refusals: readonly string[] },
  range: { readonly afterId: string; readonly beforeId: string; readonly limit: number },
): Promise<EventPart> {
  const part = sql`(
    select id, action, details from audit_events where id > ${range.afterId} and id < ${range.beforeId}
    order by id limit ${sql.lit(range.limit)}) as part`;
  const ends = await sql<{ scanned: number; last_id: string | null }>`
    select count(*) as scanned, max(id) as last_id from ${part}`.execute(executor);
  const isRefusal = sql`action in (${sql.join(actions.refusals)})`;
  const counted = await sql<{ action: string; details: string; entries: number }>`
    select action, case when ${isRefusal} then details else '' end as details, count(*) as entries
    from ${part} where action in (${sql.join([...actions.plain, ...actions.refusals])})
    group by 1, 2`.execute(executor);
  const [end] = ends.rows;
  return {
    scanned: Number(end?.scanned ?? 0),
    lastId: end?.last_id ?? null,
    counts: counted.rows.map((row) => ({ ...row, entries: Number(row.entries) })),
  };
}

export type AttentionCounts = {
  readonly pastDue: number;
  readonly licensesEnding: number;
  readonly legacyKeysEnding: number;
  /** Webhook deliveries that finally failed. */
  readonly webhookFailures: number;
  /** Billing events that are dead letters. */
  readonly billingUnknown: number;
};

type AttentionRange = {
  readonly nowMs: number;
  /** Things that end by this time need attention. */
  readonly untilMs: number;
  /** Failures since this time need attention. */
  readonly sinceMs: number;
  readonly limit: number;
};

/** Counts what needs attention, each up to a limit. */
export async function countAttention(executor: Executor, range: AttentionRange): Promise<AttentionCounts> {
  const { nowMs, untilMs, sinceMs } = range;
  const limit = sql.lit(range.limit);
  const count = (rows: RawBuilder<unknown>) => sql`(select count(*) from (${rows} limit ${limit}) as counted)`;
  const ended = sql`select state from event_deliveries where ended_at_ms > ${sinceMs} order by ended_at_ms desc limit ${limit}`;
  const { rows } = await sql<Record<keyof AttentionCounts, number>>`select
    ${count(sql`select 1 from subscriptions where is_replaced = 0 and status = 'past_due' and current_period_end_ms > ${nowMs}`)} as "pastDue",
    ${count(sql`select 1 from licenses
      where expires_at_ms > ${nowMs} and expires_at_ms <= ${untilMs} and status = 'active'`)} as "licensesEnding",
    ${count(sql`select 1 from api_keys where is_legacy = 1 and revoked_at_ms is null
      and legacy_expires_at_ms > ${nowMs} and legacy_expires_at_ms <= ${untilMs}`)} as "legacyKeysEnding",
    ${count(sql`select 1 from (${ended}) as ended where state = 'failed'`)} as "webhookFailures",
    ${count(sql`select 1 from billing_events where state = 'dead_letter'`)} as "billingUnknown"`.execute(executor);
  const [row] = rows;
  const read = (name: keyof AttentionCounts) => Number(row?.[name] ?? 0);
  return {
    pastDue: read('pastDue'),
    licensesEnding: read('licensesEnding'),
    legacyKeysEnding: read('legacyKeysEnding'),
    webhookFailures: read('webhookFailures'),
    billingUnknown: read('billingUnknown'),
  };
}
