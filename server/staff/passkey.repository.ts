/** Queries on staff passkeys. */
import type { Executor, Transaction } from '../database/database.ts';
import { insertNew } from '../database/queries.ts';
import type { Tables } from '../database/tables.ts';

export type PasskeyRow = Tables['passkeys'];

/** Lists the passkeys of a user, oldest first. */
export function listPasskeys(executor: Executor, userId: string): Promise<PasskeyRow[]> {
  return executor
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at_ms')
    .orderBy('credential_id')
    .execute();
}

export function findPasskey(executor: Executor, credentialId: string): Promise<PasskeyRow | undefined> {
  return executor.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst();
}

/** Inserts a passkey; returns false if the credential is already registered. */
export function insertPasskey(transaction: Transaction, row: PasskeyRow): Promise<boolean> {
  return insertNew(transaction, 'passkeys', row);
}

/** Updates a passkey; returns false if there is none, or if another use has changed its counter meanwhile. */
export async function updatePasskey(
  transaction: Transaction,
  { credential_id, counter }: Pick<PasskeyRow, 'credential_id' | 'counter'>,
  change: Pick<PasskeyRow, 'counter' | 'last_used_at_ms'>,
): Promise<boolean> {
  const update = transaction.updateTable('passkeys').set(change);
  const current = update.where('credential_id', '=', credential_id).where('counter', '=', counter);
  return (await current.executeTakeFirst()).numUpdatedRows > 0n;
}

export async function deletePasskey(transaction: Transaction, credentialId: string): Promise<boolean> {
  const result = await transaction.deleteFrom('passkeys').where('credential_id', '=', credentialId).executeTakeFirst();
  return result.numDeletedRows > 0n;
}
