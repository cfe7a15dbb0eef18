/** Queries for the metrics. */
import { sql } from 'kysely';
import type { Executor } from '../database/database.ts';
import { countWaitingMails } from '../waiting-mails.ts';

/** Counts the devices that have sent a heartbeat since then. */
export async function countDevicesSince(executor: Executor, sinceMs: number): Promise<number> {
  const row = await executor
    .selectFrom('device_activity')
    .where('last_seen_at_ms', '>=', sinceMs)
    // Of the bare column, SQLite would read all rows in the order of the primary key, rather than those since then.
    .select(({ fn }) => fn.count<number>(sql`device_id || ''`).distinct().as('devices'))
    .executeTakeFirstOrThrow();
  return row.devices;
}

export type Unsent = { readonly count: number; readonly sinceMs: number | null };

/** Counts what is waiting to be sent, by queue: mails, and events for webhook endpoints; and finds the oldest of each. */
export async function findUnsent(executor: Executor): Promise<Readonly<Record<'mails' | 'events', Unsent>>> {
  const [mails, events] = await Promise.all([
    countWaitingMails(executor),
    executor
      .selectFrom('event_deliveries')
      .where('state', '=', 'pending')
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min<number | null>('at_ms').as('sinceMs')])
      .executeTakeFirstOrThrow(),
  ]);
  return { mails, events };
}
