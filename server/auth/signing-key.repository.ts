/** Queries on the encrypted signing keys. */
import type { Executor, Transaction } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

export type SigningKeyRow = Tables['signing_keys'];
export type KeyPurpose = SigningKeyRow['purpose'];

/** The newest key of a purpose that is not retired. */
export function findCurrentKey(executor: Executor, purpose: KeyPurpose): Promise<SigningKeyRow | undefined> {
  return executor
    .selectFrom('signing_keys')
    .selectAll()
    .where('purpose', '=', purpose)
    .where('retired_at_ms', 'is', null)
    .orderBy('created_at_ms', 'desc')
    .orderBy('kid', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The key with this id, unless it is retired. */
export function findKey(executor: Executor, purpose: KeyPurpose, kid: string): Promise<SigningKeyRow | undefined> {
  return executor
    .selectFrom('signing_keys')
    .selectAll()
    .where('kid', '=', kid)
    .where('purpose', '=', purpose)
    .where('retired_at_ms', 'is', null)
    .executeTakeFirst();
}

export async function insertKey(transaction: Transaction, row: SigningKeyRow): Promise<void> {
  await transaction.insertInto('signing_keys').values(row).execute();
}
