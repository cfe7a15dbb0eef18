/** Queries on the device activity: when a device was used by which user, from which network. */
import type { Executor, Transaction } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

export type DeviceActivityRow = Tables['device_sightings'];

export async function recordDeviceActivity(
  transaction: Transaction,
  seen: Pick<DeviceActivityRow, 'device_id' | 'user_id' | 'network'>,
  nowMs: number,
): Promise<void> {
  await transaction
    .insertInto('device_sightings')
    .values({ ...seen, first_seen_at_ms: nowMs, last_seen_at_ms: nowMs, heartbeats: 1 })
    .onConflict((conflict) =>
      conflict.columns(['device_id', 'user_id', 'network']).doUpdateSet((row) => ({
        last_seen_at_ms: nowMs,
        heartbeats: row('device_sightings.heartbeats', '+', 1),
      })),
    )
    .execute();
}

/** Those of a device with any user, and those of a user on any device, each since a time. */
export function listDeviceActivity(
  executor: Executor,
  { device, user }: { device: { id: string; sinceMs: number }; user: { id: string; sinceMs: number } },
): Promise<DeviceActivityRow[]> {
  return executor
    .selectFrom('device_sightings')
    .selectAll()
    .where(({ and, eb, or }) =>
      or([
        and([eb('device_id', '=', device.id), eb('last_seen_at_ms', '>=', device.sinceMs)]),
        and([eb('user_id', '=', user.id), eb('last_seen_at_ms', '>=', user.sinceMs)]),
      ]),
    )
    .execute();
}
