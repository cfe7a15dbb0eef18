/** Queries on the device activity: when a device was used by which user, from which network. */
import { sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import { isPostgres } from '../database/row-locks.ts';
import type { Tables } from '../database/tables.ts';
import type { DeviceActivityRecord } from './heartbeat.rules.ts';

export type DeviceActivityRow = Tables['device_sightings'];

/** A device in use by a user in a network. */
export type ActiveDevice = Pick<DeviceActivityRow, 'device_id' | 'user_id' | 'network'>;

const upsertActivity = prepareQuery((executor, seen: ActiveDevice & { nowMs: number }) =>
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

type Columns = { deviceIds: string[]; userIds: string[]; networks: string[]; nowMs: number };

/** As `upsertActivity`, for many rows in one statement of PostgreSQL. */
const upsertActivities = prepareQuery((executor, seen: Columns) => {
  const statement = sql`
    insert into device_sightings (device_id, user_id, network, first_seen_at_ms, last_seen_at_ms, heartbeats)
    select device_id, user_id, network, ${seen.nowMs}::bigint, ${seen.nowMs}::bigint, 1
    from unnest(${seen.deviceIds}::text[], ${seen.userIds}::text[], ${seen.networks}::text[])
      as seen (device_id, user_id, network)
    on conflict (device_id, user_id, network) do update
    set last_seen_at_ms = excluded.last_seen_at_ms, heartbeats = device_sightings.heartbeats + 1`;
  return { compile: () => statement.compile(executor) };
});

/** Records that the devices, each listed once, were in use. Two processes must list them in the same order. */
export async function recordDeviceActivity(
  transaction: Transaction,
  devices: readonly ActiveDevice[],
  nowMs: number,
): Promise<void> {
  if (isPostgres(transaction)) {
    const deviceIds = devices.map(({ device_id }) => device_id);
    const userIds = devices.map(({ user_id }) => user_id);
    const networks = devices.map(({ network }) => network);
    return await upsertActivities.postpone(transaction, { deviceIds, userIds, networks, nowMs });
  }
  for (const device of devices) await upsertActivity.postpone(transaction, { ...device, nowMs });
}

const findRecentActivity = prepareQuery(
  (executor, of: { deviceId: string; deviceSinceMs: number; userId: string; userSinceMs: number }) =>
    executor
      .selectFrom('device_sightings')
      .select(['device_id', 'user_id', 'network', 'last_seen_at_ms'])
      .where(({ and, eb, or }) =>
        or([
          and([eb('device_id', '=', of.deviceId), eb('last_seen_at_ms', '>=', of.deviceSinceMs)]),
          and([eb('user_id', '=', of.userId), eb('last_seen_at_ms', '>=', of.userSinceMs)]),
        ]),
      ),
);

/** That of a device with any user, and that of a user on any device, each since a time. */
export async function listDeviceActivity(
  executor: Executor,
  { device, user }: { device: { id: string; sinceMs: number }; user: { id: string; sinceMs: number } },
): Promise<DeviceActivityRecord[]> {
  const rows = await findRecentActivity.all(executor, {
    deviceId: device.id,
    deviceSinceMs: device.sinceMs,
    userId: user.id,
    userSinceMs: user.sinceMs,
  });
  return rows.map((row) => ({
    userId: row.user_id,
    deviceId: row.device_id,
    network: row.network,
    lastSeenAtMs: row.last_seen_at_ms,
  }));
}
