/** Queries on the encrypted signing keys. */
import { keysChanged } from '../database/account-changes.ts';
import type { Executor, Transaction } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

export type SigningKeyRow = Tables['signing_keys'];
export type SigningPurpose = SigningKeyRow['purpose'];

/** The key that signs for a purpose: the newest that none has replaced. */
export function findCurrentKey(executor: Executor, purpose: SigningPurpose): Promise<SigningKeyRow | undefined> {
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

/** The keys that are not retired, newest first: of a purpose, or only the one with this id. */
export function listUsableKeys(
  executor: Executor,
  { purpose, kid, nowMs }: { purpose?: SigningPurpose; kid?: string; nowMs: number },
): Promise<SigningKeyRow[]> {
  let query = executor
    .selectFrom('signing_keys')
    .selectAll()
    .where(({ or, eb }) => or([eb('retired_at_ms', 'is', null), eb('retired_at_ms', '>', nowMs)]))
    .orderBy('created_at_ms', 'desc')
    .orderBy('kid', 'desc');
  if (purpose !== undefined) query = query.where('purpose', '=', purpose);
  if (kid !== undefined) query = query.where('kid', '=', kid);
  return query.execute();
}

/** Lets the keys that sign for the purpose verify what they signed, until that time, and sign nothing more. */
export async function retireKeys(
  transaction: Transaction,
  { purpose, retiredAtMs }: { purpose: SigningPurpose; retiredAtMs: number },
): Promise<void> {
  keysChanged(transaction);
  await transaction
    .updateTable('signing_keys')
    .set({ retired_at_ms: retiredAtMs })
    .where('purpose', '=', purpose)
    .where('retired_at_ms', 'is', null)
    .execute();
}

/** Deletes the keys that verify nothing any more. */
export async function deleteRetiredKeys(transaction: Transaction, nowMs: number): Promise<void> {
  await transaction.deleteFrom('signing_keys').where('retired_at_ms', '<=', nowMs).execute();
}

export async function insertKey(transaction: Transaction, row: SigningKeyRow): Promise<void> {
  keysChanged(transaction);
  await transaction.insertInto('signing_keys').values(row).execute();
}

/** Stores that the key signs what is valid for that long. */
export async function extendLife(transaction: Transaction, kid: string, longestLifeMs: number): Promise<void> {
  await transaction
    .updateTable('signing_keys')
    .set({ longest_life_ms: longestLifeMs })
    .where('kid', '=', kid)
    .where('longest_life_ms', '<', longestLifeMs)
    .execute();
}
