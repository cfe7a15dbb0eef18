/** Queries on the device activity: when a device was used by which user, from which network. */
import type { Executor, Transaction } from '../database/database.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import type { Tables } from '../database/tables.ts';

export type DeviceActivityRow = Tables['device_sightings'];

type Device = Pick<DeviceActivityRow, 'device_id' | 'user_id' | 'network'>;

const upsertActivity = prepareQuery((executor, seen: Device & { nowMs: number }) =>
  executor
    .insertInto('device_sightings')
    .values({
      device_id: seen.device_id,
      user_id: seen.user_id,
      network: seen.network,
      first_seen_at_ms: seen.nowMs,
      last_seen_at_ms: seen.nowMs,
      heartbeats: 1,
    })
    .onConflict((conflict) =>
      conflict.columns(['device_id', 'user_id', 'network']).doUpdateSet((row) => ({
        last_seen_at_ms: row.ref('excluded.last_seen_at_ms'),
        heartbeats: row('device_sightings.heartbeats', '+', 1),
      })),
    ),
);

const findActivity = prepareQuery((executor, seen: Device) =>
  executor
    .selectFrom('device_sightings')
    .select('last_seen_at_ms')
    .where('device_id', '=', seen.device_id)
    .where('user_id', '=', seen.user_id)
    .where('network', '=', seen.network),
);

export async function recordDeviceActivity(transaction: Transaction, seen: Device, nowMs: number): Promise<void> {
  await upsertActivity.run(transaction, { ...seen, nowMs });
}

/** When the device was last recorded with this user and network. */
export async function findLastSeen(executor: Executor, seen: Device): Promise<number | undefined> {
  return (await findActivity.first(executor, seen))?.last_seen_at_ms;
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
