/** Locks the licenses that a lease can rest on. */
import type { Transaction } from '../database/database.ts';
import { lockRows } from '../database/row-locks.ts';

/** Nobody else activates or releases a device on the user's licenses of that device until the transaction ends. */
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
