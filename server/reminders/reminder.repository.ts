/**
 * Queries on licenses and subscriptions whose end notice is due, and on the reminders sent. `noticed_lead_ms` is the
 * first column of their indexes, so each query reads only the rows it finds.
 */
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import { insertNew, oneOf } from '../database/queries.ts';
import { skipLocked } from '../database/row-locks.ts';
import { notReplaced } from '../database/subscription-in-force.ts';
import type { LicenseStatus, ReminderKind, SubscriptionStatus, Tables } from '../database/tables.ts';

type EndingRows = {
  readonly license: Tables['licenses'];
  readonly subscription: Tables['subscriptions'];
};

export type EndingRow<K extends ReminderKind> = EndingRows[K];

type Ending = {
  readonly table: 'licenses' | 'subscriptions';
  readonly endsAt: 'expires_at_ms' | 'current_period_end_ms';
  /** Selects the rows that have an end. Must repeat the condition of the index, with literals. */
  readonly condition: Expression<SqlBool>;
};

const eb = expressionBuilder<Tables, Ending['table']>();

const endings: Readonly<Record<ReminderKind, Ending>> = {
  license: {
    table: 'licenses',
    endsAt: 'expires_at_ms',
    condition: eb.and([
      eb('expires_at_ms', 'is not', null),
      eb('status', 'not in', [sql.lit<LicenseStatus>('revoked'), sql.lit<LicenseStatus>('expired')]),
    ]),
  },
  subscription: {
    table: 'subscriptions',
    endsAt: 'current_period_end_ms',
    condition: eb.and([
      eb('is_replaced', '=', notReplaced),
      eb('status', 'not in', [sql.lit<SubscriptionStatus>('canceled'), sql.lit<SubscriptionStatus>('expired')]),
      eb.or([
        eb('cancel_at_period_end', '=', sql.lit(1)),
        eb('status', '=', sql.lit('trialing')).and('source', '=', sql.lit('account')),
      ]),
    ]),
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
    const next = await executor
      .selectFrom(table)
      .select(({ fn }) => fn.min('noticed_lead_ms').as('lead'))
      .where(condition)
      .where('noticed_lead_ms', '>', above)
      .executeTakeFirst();
    const lead = next?.lead ?? null;
    if (lead === null) return leads;
    leads.push(lead);
    above = lead;
  }
}

/** Returns rows that end within the lead time, the nearest end first; for lead time 0, those that have ended. */
export function listDue<K extends ReminderKind>(executor: Executor, query: DueQuery<K>): Promise<EndingRow<K>[]> {
  return selectDue(executor, query).execute() as Promise<EndingRow<K>[]>;
}

/**
 * Like `listDue`, but locks the rows against changes and claims by others until the transaction ends. Skips rows that
 * are being changed now.
 */
export function claimDue<K extends ReminderKind>(
  transaction: Transaction,
  query: DueQuery<K>,
): Promise<EndingRow<K>[]> {
  return skipLocked(transaction, selectDue(transaction, query)).execute() as Promise<EndingRow<K>[]>;
}

function selectDue<K extends ReminderKind>(executor: Executor, query: DueQuery<K>) {
  const { kind, leadMs, noticedMs, nowMs, limit } = query;
  const { table, endsAt, condition } = endings[kind];
  const due = executor
    .selectFrom(table)
    .selectAll()
    .where(condition)
    .where('noticed_lead_ms', noticedMs === null ? 'is' : '=', noticedMs)
    .where(endsAt, '<=', nowMs + leadMs)
    .orderBy(endsAt)
    .limit(limit);
  return leadMs === 0 ? due : due.where(endsAt, '>', nowMs);
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
    .where('id', ...oneOf(transaction, ids))
    .execute();
}

/** Records a reminder; returns false if the same one was recorded before. */
export function recordReminder(transaction: Transaction, row: Tables['reminders']): Promise<boolean> {
  return insertNew(transaction, 'reminders', row);
}
