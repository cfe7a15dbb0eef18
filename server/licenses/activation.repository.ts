/** Queries on the activations: which devices hold a slot of which license. A released one stays as history. */
import type { Executor, Transaction } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

export type ActivationRow = Tables['activations'];

/** The devices that hold a slot of any license, of an account's or of one, least recently seen first. */
export function listHeldActivations(
  executor: Executor,
  of: { userId?: string; licenseId?: string },
): Promise<ActivationRow[]> {
  let query = executor
    .selectFrom('activations')
    .innerJoin('licenses', 'licenses.id', 'activations.license_id')
    .selectAll('activations')
    .where('activations.released_at_ms', 'is', null)
    .orderBy('activations.last_seen_at_ms')
    .orderBy('activations.activated_at_ms')
    .orderBy('activations.id');
  if (of.userId !== undefined) query = query.where('licenses.user_id', '=', of.userId);
  if (of.licenseId !== undefined) query = query.where('licenses.id', '=', of.licenseId);
  return query.execute();
}

export function findHeldActivation(
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

/** The licenses of an account, each with the slot that the device holds on it, if it does. */
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

/** How many slots of the license are in use. */
export async function countHeldActivations(executor: Executor, licenseId: string): Promise<number> {
  const row = await executor
    .selectFrom('activations')
    .select((select) => select.fn.countAll().as('held'))
    .where('license_id', '=', licenseId)
    .where('released_at_ms', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(row.held);
}

export async function insertActivation(transaction: Transaction, row: ActivationRow): Promise<void> {
  await transaction.insertInto('activations').values(row).execute();
}

export async function changeActivation(
  transaction: Transaction,
  id: string,
  change: Partial<Pick<ActivationRow, 'device_name' | 'platform' | 'last_seen_at_ms' | 'released_at_ms'>>,
): Promise<void> {
  await transaction.updateTable('activations').set(change).where('id', '=', id).execute();
}

/** A device showed itself: its slots on all licenses of the account were last used now. */
export async function touchActivations(
  transaction: Transaction,
  seen: { userId: string; deviceId: string; nowMs: number },
): Promise<void> {
  await transaction
    .updateTable('activations')
    .set({ last_seen_at_ms: seen.nowMs })
    .where('device_id', '=', seen.deviceId)
    .where('released_at_ms', 'is', null)
    .where('license_id', 'in', (select) =>
      select.selectFrom('licenses').select('id').where('user_id', '=', seen.userId),
    )
    .execute();
}
