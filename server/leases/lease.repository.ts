/** Queries on the licenses that a lease can rest on. */
import type { Executor } from '../database/database.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import type { Tables } from '../database/tables.ts';

export type LeasedLicenseRow = Pick<
  Tables['licenses'],
  'id' | 'key_preview' | 'plan' | 'status' | 'expires_at_ms' | 'with_subscription'
>;

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
    ])
    .where('licenses.user_id', '=', on.userId)
    .where('activations.device_id', '=', on.deviceId)
    .where('activations.released_at_ms', 'is', null)
    .orderBy('licenses.created_at_ms', 'desc')
    .orderBy('licenses.id', 'desc'),
);
