/** Locks the licenses that a lease can be based on. */
import type { Transaction } from '../database/database.ts';
import { lockRows } from '../database/row-locks.ts';

/**
 * Locks the user's licenses on this device until the transaction ends: nobody else can
 * activate or release a device on them.
 */
export function lockLicensesOnDevice(
  transaction: Transaction,
  on: { readonly userId: string; readonly deviceId: string },
): Promise<void> {
  return lockRows(transaction, () => {
    const activations = transaction.selectFrom('activations').select('license_id');
    const onDevice = activations.where('device_id', '=', on.deviceId).where('released_at_ms', 'is', null);
    const licenses = transaction.selectFrom('licenses').select('id').where('user_id', '=', on.userId);
    return licenses.where('id', 'in', onDevice).orderBy('id');
  });
}
