/** Queries on device activity: when a device was used, by which user and from which network. */
import { type RawBuilder, sql } from 'kysely';
import { type Executor, isPostgres, type Transaction } from '../database/database.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import type { Tables } from '../database/tables.ts';
import {
  activityRetentionMs,
  deviceCountWindowMs,
  instanceWindowMs,
  minReturns,
  networkCountWindowMs,
  type RecentActivity,
} from './heartbeat.rules.ts';

type DeviceActivityRow = Tables['device_activity'];

/** An app instance in use on a device, by a user in a network. */
export type ActiveDevice = Pick<DeviceActivityRow, 'device_id' | 'user_id' | 'network' | 'instance'>;

/** 1 if another instance of the device was seen after the last use of the row being updated, otherwise 0. */
const returned = sql<number>`case when device_activity.instance <> '' and exists (
    select 1 from device_activity as other
    where other.device_id = device_activity.device_id and other.user_id = device_activity.user_id
      and other.instance not in ('', device_activity.instance)
      and other.last_seen_at_ms + 0 > device_activity.last_seen_at_ms
  ) then 1 else 0 end`;

const upsertActivityQuery = prepareQuery((executor, seen: ActiveDevice & { nowMs: number }) =>
  executor
    .insertInto('device_activity')
    .values({
      device_id: seen.device_id,
      user_id: seen.user_id,
      network: seen.network,
      instance: seen.instance,
      first_seen_at_ms: seen.nowMs,
      last_seen_at_ms: seen.nowMs,
      heartbeats: 1,
      returns: 0,
    })
    .onConflict((conflict) =>
      conflict.columns(['device_id', 'user_id', 'network', 'instance']).doUpdateSet((row) => ({
        last_seen_at_ms: row.ref('excluded.last_seen_at_ms'),
        heartbeats: row('device_activity.heartbeats', '+', 1),
        returns: sql<number>`device_activity.returns + ${returned}`,
      })),
    ),
);

type DeviceColumns = { deviceIds: string[]; userIds: string[]; networks: string[]; instances: string[] };

/** Like `upsertActivityQuery`, for many rows in one PostgreSQL statement. */
const upsertActivitiesQuery = prepareQuery(
  (_executor, seen: DeviceColumns & { nowMs: number }) => sql`
    insert into device_activity
      (device_id, user_id, network, instance, first_seen_at_ms, last_seen_at_ms, heartbeats, returns)
    select device_id, user_id, network, instance, ${seen.nowMs}::bigint, ${seen.nowMs}::bigint, 1, 0
    from unnest(${seen.deviceIds}::text[], ${seen.userIds}::text[], ${seen.networks}::text[], ${seen.instances}::text[])
      as seen (device_id, user_id, network, instance)
    on conflict (device_id, user_id, network, instance) do update
    set last_seen_at_ms = excluded.last_seen_at_ms, heartbeats = device_activity.heartbeats + 1,
      returns = device_activity.returns + ${returned}`,
);

/** Records that the devices were in use. Each must be listed once, and in the same order by all processes. */
export async function recordDeviceActivity(
  transaction: Transaction,
  devices: readonly ActiveDevice[],
  nowMs: number,
): Promise<void> {
  if (isPostgres(transaction)) {
    await upsertActivitiesQuery.run(transaction, { ...toColumns(devices), nowMs });
    return;
  }
  for (const device of devices) await upsertActivityQuery.run(transaction, { ...device, nowMs });
}

/** Start of each window of `RecentActivity`. */
type Since = { accountsSinceMs: number; devicesSinceMs: number; networksSinceMs: number; instancesSinceMs: number };

type ActivityRow = {
  recorded_at_ms: number | null;
  other_user: number;
  other_devices: number;
  other_networks: number;
  other_instances: number;
  returning_instances: number;
};

/**
 * Selects one row per `ActiveDevice` in `seen`. The database does the counting, because a user may be seen on very many
 * devices. On PostgreSQL no condition may use the index by age: the statistics end where the table was last analyzed,
 * so hardly any row seems that recent, and the planner would choose to read all of them.
 */
function selectActivity(executor: Executor, seen: RawBuilder<unknown>, since: Since) {
  const isOfUser = isPostgres(executor)
    ? sql`known.user_id = seen.user_id and (known.user_id, known.last_seen_at_ms) >= (seen.user_id, ${since.devicesSinceMs})`
    : sql`known.user_id = seen.user_id and known.last_seen_at_ms >= ${since.devicesSinceMs}`;
  return sql<ActivityRow>`
    select
      (select known.last_seen_at_ms from device_activity as known
        where known.device_id = seen.device_id and known.user_id = seen.user_id and known.network = seen.network
          and known.instance = seen.instance
      ) as recorded_at_ms,
      case when exists (
        select 1 from device_activity as known
        where known.device_id = seen.device_id and known.user_id <> seen.user_id
          and known.last_seen_at_ms + 0 >= ${since.accountsSinceMs}
      ) then 1 else 0 end as other_user,
      (select count(distinct known.device_id) from device_activity as known
        where ${isOfUser} and known.device_id <> seen.device_id
      ) as other_devices,
      (select count(distinct known.network) from device_activity as known
        where known.device_id = seen.device_id and known.network <> seen.network
          and known.last_seen_at_ms + 0 >= ${since.networksSinceMs}
      ) as other_networks,
      (select count(distinct known.instance) from device_activity as known
        where known.device_id = seen.device_id and known.user_id = seen.user_id
          and known.instance not in ('', seen.instance)
      ) as other_instances,
      (select count(distinct known.instance) from device_activity as known
        where known.device_id = seen.device_id and known.user_id = seen.user_id and known.returns >= ${minReturns}
          and known.last_seen_at_ms + 0 >= ${since.instancesSinceMs}
      ) as returning_instances
    from ${seen}`;
}

const findActivityQuery = prepareQuery((executor, of: ActiveDevice & Since) => {
  const seen = sql`(select ${of.device_id} as device_id, ${of.user_id} as user_id, ${of.network} as network,
    ${of.instance} as instance) as seen`;
  return selectActivity(executor, seen, of);
});

/** Like `findActivityQuery`, for many devices in one PostgreSQL statement, with a row for each in their order. */
const findActivitiesQuery = prepareQuery((executor, of: DeviceColumns & Since) => {
  const seen = sql`unnest(${of.deviceIds}::text[], ${of.userIds}::text[], ${of.networks}::text[], ${of.instances}::text[])
    with ordinality as seen (device_id, user_id, network, instance, number) order by seen.number`;
  return selectActivity(executor, seen, of);
});

/** Returns what was recorded earlier, in the order of the devices. */
export async function findRecentActivity(
  executor: Executor,
  devices: readonly ActiveDevice[],
  nowMs: number,
): Promise<RecentActivity[]> {
  const since = {
    accountsSinceMs: nowMs - activityRetentionMs,
    devicesSinceMs: nowMs - deviceCountWindowMs,
    networksSinceMs: nowMs - networkCountWindowMs,
    instancesSinceMs: nowMs - instanceWindowMs,
  };
  if (isPostgres(executor)) {
    return (await findActivitiesQuery.all(executor, { ...toColumns(devices), ...since })).map(toActivity);
  }
  const rows: ActivityRow[] = [];
  for (const device of devices) rows.push(...(await findActivityQuery.all(executor, { ...device, ...since })));
  return rows.map(toActivity);
}

function toActivity(row: ActivityRow): RecentActivity {
  return {
    recordedAtMs: row.recorded_at_ms ?? undefined,
    hasOtherUser: row.other_user === 1,
    otherDevices: row.other_devices,
    otherNetworks: row.other_networks,
    otherInstances: row.other_instances,
    returningInstances: row.returning_instances,
  };
}

function toColumns(devices: readonly ActiveDevice[]): DeviceColumns {
  return {
    deviceIds: devices.map(({ device_id }) => device_id),
    userIds: devices.map(({ user_id }) => user_id),
    networks: devices.map(({ network }) => network),
    instances: devices.map(({ instance }) => instance),
  };
}
