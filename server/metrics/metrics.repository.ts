/** Queries for the metrics. */
import type { Executor } from '../database/database.ts';

/** Counts the devices that have sent a heartbeat since then. */
export async function countDevicesSince(executor: Executor, sinceMs: number): Promise<number> {
  const row = await executor
    .selectFrom('device_activity')
    .where('last_seen_at_ms', '>=', sinceMs)
    .select((select) => select.fn.count<number>('device_id').distinct().as('devices'))
    .executeTakeFirstOrThrow();
  return row.devices;
}

/** Counts what is waiting to be sent: mails, and events for webhook endpoints. */
export function countUnsent(executor: Executor): Promise<{ readonly mails: number; readonly events: number }> {
  return executor
    .selectNoFrom(({ selectFrom }) => [
      selectFrom('mails')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .$asScalar()
        .as('mails'),
      selectFrom('event_deliveries')
        .where('state', '=', 'pending')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .$asScalar()
        .as('events'),
    ])
    .executeTakeFirstOrThrow();
}
