/** Queries on activations: which device is active on which license. Released activations are kept as history. */
import { sql } from 'kysely';
import { type Executor, isPostgres, type Transaction } from '../database/database.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import { count, oneOf } from '../database/queries.ts';
import { lockRows, readAndLockRows } from '../database/row-locks.ts';
import type { Tables } from '../database/tables.ts';

export type ActivationRow = Tables['activations'];

/** An activation with the relevant columns of its license. */
export type LicensedActivationRow = ActivationRow & Pick<Tables['licenses'], 'key_preview' | 'max_activations'>;

/** A released activation whose device keeps its place until the lease ends. */
export type KeptPlaceRow = LicensedActivationRow & {
  readonly released_at_ms: number;
  readonly lease_expires_at_ms: number;
};

/** A device in use by a user. */
export type UserDevice = { readonly user_id: string; readonly device_id: string };

/** Either the given licenses or those of a user. */
type Licenses = { readonly userId: string } | { readonly licenseIds: readonly string[] };

function selectLicensedActivations(executor: Executor, of: Licenses) {
  const query = executor
    .selectFrom('activations')
    .innerJoin('licenses', 'licenses.id', 'activations.license_id')
    .selectAll('activations')
    .select(['licenses.key_preview', 'licenses.max_activations']);
  if ('userId' in of) return query.where('licenses.user_id', '=', of.userId);
  return query.where('activations.license_id', ...oneOf(executor, of.licenseIds));
}

/** Returns the active devices of the licenses, least recently seen first. */
export function listActiveActivations(executor: Executor, of: Licenses): Promise<LicensedActivationRow[]> {
  return selectLicensedActivations(executor, of)
    .where('activations.released_at_ms', 'is', null)
    .orderBy('activations.last_seen_at_ms')
    .orderBy('activations.activated_at_ms')
    .orderBy('activations.id')
    .execute();
}

/** Returns the activation of the license that is active on this device. */
export function findActiveActivation(
  executor: Executor,
  licenseId: string,
  deviceId: string,
): Promise<ActivationRow | undefined> {
  return executor
    .selectFrom('activations')
    .selectAll()
    .where('license_id', '=', licenseId)
    .where('device_id', '=', deviceId)
    .where('released_at_ms', 'is', null)
    .executeTakeFirst();
}

/** Locks the license until the transaction ends: nobody else can activate or release a device on it. */
export function lockLicense(
  transaction: Transaction,
  by: { readonly id: string } | { readonly activationId: string },
): Promise<void> {
  return lockRows(transaction, () => {
    const licenses = transaction.selectFrom('licenses').select('id');
    if ('id' in by) return licenses.where('id', '=', by.id);
    return licenses.where('id', 'in', (query) =>
      query.selectFrom('activations').select('license_id').where('id', '=', by.activationId),
    );
  });
}

/**
 * Locks the user's licenses on this device until the transaction ends: nobody else can activate or release a device on
 * them. Returns their ids.
 */
export async function lockLicensesOnDevice(
  transaction: Transaction,
  on: { readonly userId: string; readonly deviceId: string },
): Promise<string[]> {
  const activations = transaction.selectFrom('activations').select('license_id');
  const onDevice = activations.where('device_id', '=', on.deviceId).where('released_at_ms', 'is', null);
  const ofUser = transaction.selectFrom('licenses').select('id').where('user_id', '=', on.userId);
  const licenses = ofUser.where('id', 'in', onDevice).orderBy('id');
  const rows = await readAndLockRows(transaction, licenses);
  return rows.map(({ id }) => id);
}

/**
 * Counts the places of the license that are in use, by active devices and by released ones whose lease has not ended.
 */
export function countPlacesInUse(
  executor: Executor,
  { licenseId, nowMs }: { readonly licenseId: string; readonly nowMs: number },
): Promise<number> {
  const ofLicense = executor.selectFrom('activations').where('license_id', '=', licenseId);
  return count(
    ofLicense.where(({ or, eb }) => or([eb('released_at_ms', 'is', null), eb('lease_expires_at_ms', '>', nowMs)])),
  );
}

/** Returns the released devices of the licenses whose lease has not ended, the first to end first. */
export function listKeptPlaces(executor: Executor, of: Licenses & { readonly nowMs: number }): Promise<KeptPlaceRow[]> {
  return selectLicensedActivations(executor, of)
    .where('activations.released_at_ms', 'is not', null)
    .where('activations.lease_expires_at_ms', '>', of.nowMs)
    .orderBy('activations.lease_expires_at_ms')
    .orderBy('activations.id')
    .$narrowType<{ released_at_ms: number; lease_expires_at_ms: number }>()
    .execute();
}

/**
 * Returns the owner of the license, null if it has none, and the preview of its key. Throws if there is no such
 * license.
 */
export function getLicense(
  executor: Executor,
  id: string,
): Promise<Pick<Tables['licenses'], 'id' | 'user_id' | 'key_preview'>> {
  const license = executor.selectFrom('licenses').select(['id', 'user_id', 'key_preview']).where('id', '=', id);
  return license.executeTakeFirstOrThrow();
}

/** Deletes the device's activations released since that time, so that switching back and forth leaves few rows. */
export async function deleteReleasedSince(
  transaction: Transaction,
  of: { readonly licenseId: string; readonly deviceId: string; readonly sinceMs: number },
): Promise<void> {
  await transaction
    .deleteFrom('activations')
    .where('license_id', '=', of.licenseId)
    .where('device_id', '=', of.deviceId)
    .where('released_at_ms', '>', of.sinceMs)
    .execute();
}

/** Prepared because every activation runs it: building it each time would take 8 % of the processor time of one. */
export const insertActivation = prepareQuery((executor, row: ActivationRow) =>
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
    several_installations_at_ms: row.several_installations_at_ms,
  } satisfies Record<keyof ActivationRow, unknown>),
);

export async function changeActivation(
  transaction: Transaction,
  id: string,
  change: Partial<Pick<ActivationRow, 'device_name' | 'platform' | 'last_seen_at_ms' | 'released_at_ms'>>,
): Promise<void> {
  await transaction.updateTable('activations').set(change).where('id', '=', id).execute();
}

/** Extends the time for which an active device may work offline; never shortens it. */
export async function extendLease(
  transaction: Transaction,
  { id, leaseEndMs }: { readonly id: string; readonly leaseEndMs: number },
): Promise<void> {
  await transaction
    .updateTable('activations')
    .set({ lease_expires_at_ms: leaseEndMs })
    .where('id', '=', id)
    .where(({ or, eb }) => or([eb('lease_expires_at_ms', 'is', null), eb('lease_expires_at_ms', '<', leaseEndMs)]))
    .execute();
}

/** Frees the place that a released device keeps on the license. */
export async function freePlace(
  transaction: Transaction,
  { licenseId, deviceId }: { readonly licenseId: string; readonly deviceId: string },
): Promise<void> {
  await transaction
    .updateTable('activations')
    .set({ lease_expires_at_ms: null })
    .where('license_id', '=', licenseId)
    .where('device_id', '=', deviceId)
    .where('released_at_ms', 'is not', null)
    .execute();
}

const touchDeviceQuery = prepareQuery((executor, seen: { userId: string; deviceId: string; nowMs: number }) =>
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
 * Like `touchDeviceQuery`, for many devices in one PostgreSQL statement. `offset 0` keeps the inner query separate, so
 * that each device is looked up in the index whatever the table statistics say.
 */
const touchDevicesQuery = prepareQuery(
  (_executor, seen: { userIds: string[]; deviceIds: string[]; nowMs: number }) => sql`
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
    ))`,
);

/** Sets when each device was last seen, on all licenses of its user. */
export async function touchActivations(
  transaction: Transaction,
  devices: readonly UserDevice[],
  nowMs: number,
): Promise<void> {
  if (isPostgres(transaction)) {
    const userIds = devices.map(({ user_id }) => user_id);
    const deviceIds = devices.map(({ device_id }) => device_id);
    await touchDevicesQuery.run(transaction, { userIds, deviceIds, nowMs });
    return;
  }
  for (const { user_id: userId, device_id: deviceId } of devices) {
    await touchDeviceQuery.run(transaction, { userId, deviceId, nowMs });
  }
}

/** Sets when several installations were last seen on each device, on all licenses of its user. */
export async function recordSeveralInstallations(
  transaction: Transaction,
  devices: readonly UserDevice[],
  nowMs: number,
): Promise<void> {
  for (const { user_id, device_id } of devices) {
    await transaction
      .updateTable('activations')
      .set({ several_installations_at_ms: nowMs })
      .where('device_id', '=', device_id)
      .where('released_at_ms', 'is', null)
      .where('license_id', 'in', (select) => select.selectFrom('licenses').select('id').where('user_id', '=', user_id))
      .execute();
  }
}
