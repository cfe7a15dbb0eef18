/** Locks the licenses that a lease can rest on. */
import type { Transaction } from '../database/database.ts';
import { prepareLock } from '../database/prepared-query.ts';

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
