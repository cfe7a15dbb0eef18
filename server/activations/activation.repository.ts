/** Queries on the activations: which device is active on which license. A released activation stays as history. */
import { sql } from 'kysely';
import { accountChanged } from '../database/account-changes.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { prepareLock, prepareQuery } from '../database/prepared-query.ts';
import { isPostgres, postpone } from '../database/row-locks.ts';
import type { Tables } from '../database/tables.ts';
import type { ReleasedDevice } from './activation.rules.ts';

export type ActivationRow = Tables['activations'];

/** An activation with what its license says. */
export type LicensedActivationRow = ActivationRow & Pick<Tables['licenses'], 'key_preview' | 'max_activations'>;

/** The active devices of some licenses, or of those of a user; least recently seen first. */
export function listActiveActivations(
  executor: Executor,
  of: { readonly userId: string } | { readonly licenseIds: readonly string[] },
): Promise<LicensedActivationRow[]> {
  const query = executor
    .selectFrom('activations')
    .innerJoin('licenses', 'licenses.id', 'activations.license_id')
    .selectAll('activations')
    .select(['licenses.key_preview', 'licenses.max_activations'])
    .where('activations.released_at_ms', 'is', null)
    .orderBy('activations.last_seen_at_ms')
    .orderBy('activations.activated_at_ms')
    .orderBy('activations.id');
  if ('userId' in of) return query.where('licenses.user_id', '=', of.userId).execute();
  return query.where('activations.license_id', 'in', of.licenseIds).execute();
}

/** The active activation of a license with that id or on that device. */
export function findActiveActivation(
  executor: Executor,
  licenseId: string,
  by: { readonly id: string } | { readonly device_id: string },
): Promise<ActivationRow | undefined> {
  if ('id' in by) return activationById.first(executor, { licenseId, id: by.id });
  return activationOfDevice.first(executor, { licenseId, deviceId: by.device_id });
}

const activationById = prepareQuery((executor, by: { licenseId: string; id: string }) =>
  activeOf(executor, by.licenseId).selectAll().where('id', '=', by.id),
);

const activationOfDevice = prepareQuery((executor, by: { licenseId: string; deviceId: string }) =>
  activeOf(executor, by.licenseId).selectAll().where('device_id', '=', by.deviceId),
);

function activeOf(executor: Executor, licenseId: string) {
  return executor.selectFrom('activations').where('license_id', '=', licenseId).where('released_at_ms', 'is', null);
}

/** Nobody else activates or releases a device on the license until the transaction ends. */
export function lockLicense(
  transaction: Transaction,
  by: { readonly id: string } | { readonly activationId: string },
): Promise<void> {
  return 'id' in by ? lockById(transaction, by) : lockByActivation(transaction, by);
}

const lockById = prepareLock((executor, { id }: { id: string }) =>
  executor.selectFrom('licenses').select('id').where('id', '=', id),
);

const lockByActivation = prepareLock((executor, { activationId }: { activationId: string }) => {
  const ofActivation = executor.selectFrom('activations').select('license_id').where('id', '=', activationId);
  return executor.selectFrom('licenses').select('id').where('id', 'in', ofActivation);
});

/** The licenses of a user, each with the activation on the device if there is one. */
export function listLicensesWithDevice(
  executor: Executor,
  userId: string,
  deviceId: string,
): Promise<{ license_id: string; activation_id: string | null }[]> {
  return executor
    .selectFrom('licenses')
    .leftJoin('activations', (join) =>
      join
        .onRef('activations.license_id', '=', 'licenses.id')
        .on('activations.device_id', '=', deviceId)
        .on('activations.released_at_ms', 'is', null),
    )
    .select(['licenses.id as license_id', 'activations.id as activation_id'])
    .where('licenses.user_id', '=', userId)
    .execute();
}

/** How many places of the license are in use: by active devices, and by released ones whose lease has not ended. */
export async function countPlacesInUse(
  executor: Executor,
  of: { readonly licenseId: string; readonly nowMs: number },
): Promise<number> {
  return Number((await placesInUse.first(executor, of))?.places);
}

const placesInUse = prepareQuery((executor, { licenseId, nowMs }: { licenseId: string; nowMs: number }) =>
  executor
    .selectFrom('activations')
    .select((select) => select.fn.countAll().as('places'))
    .where('license_id', '=', licenseId)
    .where(({ or, eb }) => or([eb('released_at_ms', 'is', null), eb('lease_expires_at_ms', '>', nowMs)])),
);

/** The released devices of some licenses, or of those of a user, whose lease has not ended; the next to end first. */
export function listKeptPlaces(
  executor: Executor,
  of: ({ readonly userId: string } | { readonly licenseIds: readonly string[] }) & { readonly nowMs: number },
): Promise<LicensedActivationRow[]> {
  const query = executor
    .selectFrom('activations')
    .innerJoin('licenses', 'licenses.id', 'activations.license_id')
    .selectAll('activations')
    .select(['licenses.key_preview', 'licenses.max_activations'])
    .where('activations.released_at_ms', 'is not', null)
    .where('activations.lease_expires_at_ms', '>', of.nowMs)
    .orderBy('activations.lease_expires_at_ms')
    .orderBy('activations.id');
  if ('userId' in of) return query.where('licenses.user_id', '=', of.userId).execute();
  return query.where('activations.license_id', 'in', of.licenseIds).execute();
}

/** Whether a device is active on the license that could be released or replaced and would leave its place at once. */
export async function hasReleasableDevice(
  executor: Executor,
  of: { readonly licenseId: string; readonly nowMs: number },
): Promise<boolean> {
  return (await releasableDevice.first(executor, of)) !== undefined;
}

const releasableDevice = prepareQuery((executor, { licenseId, nowMs }: { licenseId: string; nowMs: number }) =>
  activeOf(executor, licenseId)
    .select('id')
    .where(({ or, eb }) => or([eb('lease_expires_at_ms', 'is', null), eb('lease_expires_at_ms', '<=', nowMs)]))
    .limit(1),
);

/** How a license is used, in one row. */
export type LicenseUse = {
  /** The activation of the device; undefined where it is not active. */
  readonly existing: ActivationRow | undefined;
  /** How many devices are active. */
  readonly active: number;
  /** How many activations were released since that time, or keep their place. */
  readonly released: number;
  /** What the plan allows, see `ActivationInput`. */
  readonly newDevices: number;
};

/** `undefined` where there is no such plan. */
export async function findLicenseUse(executor: Executor, of: LicenseUseOf): Promise<LicenseUse | undefined> {
  const row = await licenseUse.first(executor, of);
  if (!row) return undefined;
  const { id, device_name, platform, activated_at_ms, last_seen_at_ms, lease_expires_at_ms } = row;
  const { active, released, new_devices } = row;
  const rest = { license_id: of.licenseId, device_id: of.deviceId, released_at_ms: null };
  const stored = { id, device_name, platform, activated_at_ms, last_seen_at_ms, lease_expires_at_ms };
  return {
    existing: id === null ? undefined : ({ ...stored, ...rest } as ActivationRow),
    active: Number(active),
    released: Number(released),
    newDevices: new_devices,
  };
}

export type LicenseUseOf = {
  readonly licenseId: string;
  readonly plan: string;
  readonly deviceId: string;
  readonly sinceMs: number;
  readonly nowMs: number;
};

const licenseUse = prepareQuery((executor, { licenseId, plan, deviceId, sinceMs, nowMs }: LicenseUseOf) =>
  executor
    .selectFrom('plans')
    .leftJoin('activations as existing', (join) =>
      join
        .on('existing.license_id', '=', licenseId)
        .on('existing.device_id', '=', deviceId)
        .on('existing.released_at_ms', 'is', null),
    )
    .select([
      'plans.new_devices_per_month as new_devices',
      'existing.id',
      'existing.device_name',
      'existing.platform',
      'existing.activated_at_ms',
      'existing.last_seen_at_ms',
      'existing.lease_expires_at_ms',
    ])
    .select((query) => [
      query
        .selectFrom('activations')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('license_id', '=', licenseId)
        .where('released_at_ms', 'is', null)
        .as('active'),
      query
        .selectFrom('activations')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('license_id', '=', licenseId)
        .where('released_at_ms', 'is not', null)
        .where(({ or, eb }) => or([eb('released_at_ms', '>', sinceMs), eb('lease_expires_at_ms', '>', nowMs)]))
        .as('released'),
    ])
    .where('plans.name', '=', plan),
);

/**
 * The devices that are not active on the license but were since that time, or keep their place: when each was released
 * last, and when its latest lease ends.
 */
export async function listReleasedDevices(executor: Executor, of: ReleasedDevicesOf): Promise<ReleasedDevice[]> {
  const rows = await releasedDevices.all(executor, of);
  return rows.map(({ device_id, released_at_ms, lease_end_ms }) => ({
    deviceId: device_id,
    releasedAtMs: released_at_ms,
    leaseEndMs: lease_end_ms,
  }));
}

type ReleasedDevicesOf = { readonly licenseId: string; readonly sinceMs: number; readonly nowMs: number };

const releasedDevices = prepareQuery((executor, { licenseId, sinceMs, nowMs }: ReleasedDevicesOf) =>
  executor
    .selectFrom('activations as released')
    .select(({ fn }) => [
      'released.device_id',
      fn.max<number>('released.released_at_ms').as('released_at_ms'),
      fn.max<number | null>('released.lease_expires_at_ms').as('lease_end_ms'),
    ])
    .where('released.license_id', '=', licenseId)
    .where('released.released_at_ms', 'is not', null)
    .where(({ or, eb }) =>
      or([eb('released.released_at_ms', '>', sinceMs), eb('released.lease_expires_at_ms', '>', nowMs)]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('activations as active')
            .select('active.id')
            .where('active.license_id', '=', licenseId)
            .whereRef('active.device_id', '=', 'released.device_id')
            .where('active.released_at_ms', 'is', null),
        ),
      ),
    )
    .groupBy('released.device_id'),
);

/** The owner of the license; null where it has none, or does not exist. */
export function findLicense(
  executor: Executor,
  id: string,
): Promise<Pick<Tables['licenses'], 'id' | 'user_id' | 'key_preview'>> {
  const license = executor.selectFrom('licenses').select(['id', 'user_id', 'key_preview']).where('id', '=', id);
  return license.executeTakeFirstOrThrow();
}

/**
 * Deletes the released activations of a device since that time, so that going back and forth leaves few rows. It is
 * followed by the insertion of another one, which declares the account as changed.
 */
export async function deleteReleasedSince(transaction: Transaction, of: ReleasedSince): Promise<void> {
  await withoutReleased.postpone(transaction, of);
}

type ReleasedSince = { readonly licenseId: string; readonly deviceId: string; readonly sinceMs: number };

const withoutReleased = prepareQuery((executor, of: ReleasedSince) =>
  executor
    .deleteFrom('activations')
    .where('license_id', '=', of.licenseId)
    .where('device_id', '=', of.deviceId)
    .where('released_at_ms', '>', of.sinceMs),
);

/** `owner` is that of the license. */
export async function insertActivation(
  transaction: Transaction,
  row: ActivationRow,
  owner: string | null,
): Promise<void> {
  accountChanged(transaction, owner);
  await newActivation.postpone(transaction, row);
}

const newActivation = prepareQuery((executor, row: ActivationRow) =>
  executor.insertInto('activations').values({
    id: row.id,
    license_id: row.license_id,
    device_id: row.device_id,
    device_name: row.device_name,
    platform: row.platform,
    activated_at_ms: row.activated_at_ms,
    last_seen_at_ms: row.last_seen_at_ms,
    released_at_ms: row.released_at_ms,
    lease_expires_at_ms: row.lease_expires_at_ms,
  }),
);

export async function changeActivation(
  transaction: Transaction,
  id: string,
  change: Pick<ActivationRow, 'device_name' | 'platform' | 'last_seen_at_ms'>,
): Promise<void> {
  await postpone(transaction, transaction.updateTable('activations').set(change).where('id', '=', id));
}

/** `owner` is that of the license. The device keeps its place until its lease ends. */
export async function releaseActivation(
  transaction: Transaction,
  id: string,
  { owner, nowMs }: { readonly owner: string | null; readonly nowMs: number },
): Promise<void> {
  accountChanged(transaction, owner);
  const change = { released_at_ms: nowMs };
  await postpone(transaction, transaction.updateTable('activations').set(change).where('id', '=', id));
}

/** An active device may work offline until then, and never for a shorter time than before. Nothing of that is cached. */
export async function extendLease(
  transaction: Transaction,
  lease: { readonly id: string; readonly leaseEndMs: number },
): Promise<void> {
  await longerLease.postpone(transaction, lease);
}

const longerLease = prepareQuery((executor, { id, leaseEndMs }: { id: string; leaseEndMs: number }) =>
  executor
    .updateTable('activations')
    .set({ lease_expires_at_ms: leaseEndMs })
    .where('id', '=', id)
    .where(({ or, eb }) => or([eb('lease_expires_at_ms', 'is', null), eb('lease_expires_at_ms', '<', leaseEndMs)])),
);

/** A released device of the license keeps its place no longer. */
export async function freePlace(
  transaction: Transaction,
  { licenseId, deviceId, owner }: DevicePlace & { readonly owner: string | null },
): Promise<void> {
  accountChanged(transaction, owner);
  await freedPlace.postpone(transaction, { licenseId, deviceId });
}

type DevicePlace = { readonly licenseId: string; readonly deviceId: string };

const freedPlace = prepareQuery((executor, { licenseId, deviceId }: DevicePlace) =>
  executor
    .updateTable('activations')
    .set({ lease_expires_at_ms: null })
    .where('license_id', '=', licenseId)
    .where('device_id', '=', deviceId)
    .where('released_at_ms', 'is not', null),
);

const touchDevice = prepareQuery((executor, seen: { userId: string; deviceId: string; nowMs: number }) =>
  executor
    .updateTable('activations')
    .set({ last_seen_at_ms: seen.nowMs })
    .where('device_id', '=', seen.deviceId)
    .where('released_at_ms', 'is', null)
    .where('license_id', 'in', (select) =>
      select.selectFrom('licenses').select('id').where('user_id', '=', seen.userId),
    ),
);

/**
 * As `touchDevice`, for many devices in one statement of PostgreSQL. `offset 0` keeps the inner query by itself, so that each
 * device is looked up in the index whatever the statistics of the tables say.
 */
const touchDevices = prepareQuery((executor, seen: { userIds: string[]; deviceIds: string[]; nowMs: number }) => {
  const statement = sql`
    update activations set last_seen_at_ms = ${seen.nowMs}::bigint
    where id = any (array (
      select active.id
      from unnest(${seen.userIds}::text[], ${seen.deviceIds}::text[]) as seen (user_id, device_id),
      lateral (
        select activations.id from activations inner join licenses on licenses.id = activations.license_id
        where activations.device_id = seen.device_id and activations.released_at_ms is null
          and licenses.user_id = seen.user_id
        offset 0
      ) as active
    ))`;
  return { compile: () => statement.compile(executor) };
});

/** Sets when each device was last seen on all licenses of its user. */
export async function touchActivations(
  transaction: Transaction,
  devices: readonly { readonly user_id: string; readonly device_id: string }[],
  nowMs: number,
): Promise<void> {
  if (isPostgres(transaction)) {
    const userIds = devices.map(({ user_id }) => user_id);
    const deviceIds = devices.map(({ device_id }) => device_id);
    return await touchDevices.postpone(transaction, { userIds, deviceIds, nowMs });
  }
  for (const { user_id: userId, device_id: deviceId } of devices) {
    await touchDevice.postpone(transaction, { userId, deviceId, nowMs });
  }
}
