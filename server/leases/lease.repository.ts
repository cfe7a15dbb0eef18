/** Queries on the licenses that a lease can rest on. */
import type { Executor, Transaction } from '../database/database.ts';
import { prepareLock, prepareQuery } from '../database/prepared-query.ts';
import type { Tables } from '../database/tables.ts';

export type LeasedLicenseRow = Pick<
  Tables['licenses'],
  'id' | 'key_preview' | 'plan' | 'status' | 'expires_at_ms' | 'with_subscription'
> & { readonly activation_id: string };

/** Nobody else activates or releases a device on the user's licenses of that device until the transaction ends. */
export function lockLicensesOnDevice(
  transaction: Transaction,
  on: { readonly userId: string; readonly deviceId: string },
): Promise<void> {
  return lockOnDevice(transaction, on);
}

const lockOnDevice = prepareLock((executor, on: { userId: string; deviceId: string }) =>
  executor
    .selectFrom('licenses')
    .select('id')
    .where('user_id', '=', on.userId)
    .where('id', 'in', (select) =>
      select
        .selectFrom('activations')
        .select('license_id')
        .where('device_id', '=', on.deviceId)
        .where('released_at_ms', 'is', null),
    )
    .orderBy('id'),
);

/** The licenses of a user that are activated on a device, newest first. */
export function listLicensesOnDevice(
  executor: Executor,
  on: { readonly userId: string; readonly deviceId: string },
): Promise<LeasedLicenseRow[]> {
  return licensesOnDevice.all(executor, on);
}

const licensesOnDevice = prepareQuery((executor, on: { userId: string; deviceId: string }) =>
  executor
    .selectFrom('licenses')
    .innerJoin('activations', 'activations.license_id', 'licenses.id')
    .select([
      'licenses.id',
      'licenses.key_preview',
      'licenses.plan',
      'licenses.status',
      'licenses.expires_at_ms',
      'licenses.with_subscription',
      'activations.id as activation_id',
    ])
    .where('licenses.user_id', '=', on.userId)
    .where('activations.device_id', '=', on.deviceId)
    .where('activations.released_at_ms', 'is', null)
    .orderBy('licenses.created_at_ms', 'desc')
    .orderBy('licenses.id', 'desc'),
);
