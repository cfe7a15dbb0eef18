/** Queries for the metrics. */
import type { Executor } from '../database/database.ts';

/** How many devices have sent a heartbeat since then. */
export async function countDevicesSince(executor: Executor, sinceMs: number): Promise<number> {
  const row = await executor
    .selectFrom('device_sightings')
    .where('last_seen_at_ms', '>=', sinceMs)
    .select((select) => select.fn.count<number | string>('device_id').distinct().as('devices'))
    .executeTakeFirstOrThrow();
  return Number(row.devices);
}
