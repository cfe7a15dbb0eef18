/**
 * Queries on licenses and subscriptions whose end notice is due, and on the reminders sent. `noticed_lead_ms` is the
 * first column of their indexes, so each query reads only the rows it finds.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import { isPostgres } from '../database/dialect.ts';
import { isOneOf } from '../database/many-rows.ts';
import type { ReminderKind, Tables } from '../database/tables.ts';

type EndingRows = {
  readonly license: Tables['licenses'];
  readonly subscription: Tables['subscriptions'];
};

export type EndingRow<K extends ReminderKind> = EndingRows[K];

type Ending = {
  readonly table: 'licenses' | 'subscriptions';
  readonly endsAt: string;
  /** Selects the rows that have an end. Must repeat the condition of the index word for word. */
  readonly condition: RawBuilder<SqlBool>;
};

const endings: Readonly<Record<ReminderKind, Ending>> = {
  license: {
    table: 'licenses',
    endsAt: 'expires_at_ms',
    condition: sql`expires_at_ms is not null and status not in ('revoked', 'expired')`,
  },
  subscription: {
    table: 'subscriptions',
    endsAt: 'current_period_end_ms',
    condition: sql`is_replaced = 0 and status not in ('canceled', 'expired')
      and (cancel_at_period_end = 1 or (status = 'trialing' and source = 'account'))`,
  },
};

export type DueQuery<K extends ReminderKind> = {
  readonly kind: K;
  /** Time before the end, in ms; 0 is the end itself. */
  readonly leadMs: number;
  /** Lead time of the last notice given; null for none. */
  readonly noticedMs: number | null;
  readonly nowMs: number;
  readonly limit: number;
};

/** Returns null, for rows without a notice, and the lead times of last notices that are longer than the given one. */
export async function listNoticedLeads(
  executor: Executor,
  kind: ReminderKind,
  leadMs: number,
): Promise<(number | null)[]> {
  const { table, condition } = endings[kind];
  const leads: (number | null)[] = [null];
  let above = leadMs;
  while (true) {
    const { rows } = await sql<{ lead: number | null }>`
      select min(noticed_lead_ms) as lead from ${sql.table(table)} where ${condition} and noticed_lead_ms > ${above}
    `.execute(executor);
    const lead = rows[0]?.lead ?? null;
    if (lead === null) return leads;
    leads.push(lead);
    above = lead;
  }
}

/** Returns rows that end within the lead time, the nearest end first; for lead time 0, those that have ended. */
export async function listDue<K extends ReminderKind>(executor: Executor, query: DueQuery<K>): Promise<EndingRow<K>[]> {
  return (await selectDue(query).execute(executor)).rows;
}

/**
 * Like `listDue`, but locks the rows against changes and claims by others until the transaction ends. Skips rows that
 * are being changed now.
 */
export async function claimDue<K extends ReminderKind>(
  transaction: Transaction,
  query: DueQuery<K>,
): Promise<EndingRow<K>[]> {
  const due = selectDue(query);
  const claim = isPostgres(transaction) ? sql<EndingRow<K>>`${due} for no key update skip locked` : due;
  return (await claim.execute(transaction)).rows;
}

function selectDue<K extends ReminderKind>(query: DueQuery<K>): RawBuilder<EndingRow<K>> {
  const { kind, leadMs, noticedMs, nowMs, limit } = query;
  const { table, endsAt, condition } = endings[kind];
  const end = sql.ref(endsAt);
  const noticed = noticedMs === null ? sql`noticed_lead_ms is null` : sql`noticed_lead_ms = ${noticedMs}`;
  const isAhead = leadMs === 0 ? sql`` : sql`and ${end} > ${nowMs}`;
  return sql<EndingRow<K>>`
    select * from ${sql.table(table)}
    where ${condition} and ${noticed} ${isAhead} and ${end} <= ${nowMs + leadMs}
    order by ${end} limit ${limit}`;
}

/** Records that notice was given, or is not to be given, at this lead time and any longer one. */
export async function markNoticed(
  transaction: Transaction,
  kind: ReminderKind,
  { ids, leadMs }: { readonly ids: readonly string[]; readonly leadMs: number },
): Promise<void> {
  await transaction
    .updateTable(endings[kind].table)
    .set({ noticed_lead_ms: leadMs })
    .where(isOneOf(transaction, 'id', ids))
    .execute();
}

/** Records a reminder; returns false if the same one was recorded before. */
export async function recordReminder(transaction: Transaction, row: Tables['reminders']): Promise<boolean> {
  const result = await transaction
    .insertInto('reminders')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}
