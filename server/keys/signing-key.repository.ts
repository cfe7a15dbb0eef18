/** Queries on the encrypted signing keys. */
import { sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

export type SigningKeyRow = Tables['signing_keys'];
export type SigningPurpose = SigningKeyRow['purpose'];

/** How long processes may take to learn of a new key. */
const learningMs = 60 * 60 * 1000;

function selectUnretiredKeys(executor: Executor, purpose: SigningPurpose) {
  return executor
    .selectFrom('signing_keys')
    .selectAll()
    .where('purpose', '=', purpose)
    .where('retired_at_ms', 'is', null);
}

/** Returns the key that signs for a purpose: the newest one that has not been replaced. */
export function findCurrentKey(executor: Executor, purpose: SigningPurpose): Promise<SigningKeyRow | undefined> {
  return selectUnretiredKeys(executor, purpose)
    .where('is_prepared', '=', 0)
    .orderBy('created_at_ms', 'desc')
    .orderBy('kid', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Returns the key that will sign for a purpose after the next rotation, if one was prepared. */
export function findPreparedKey(executor: Executor, purpose: SigningPurpose): Promise<SigningKeyRow | undefined> {
  return selectUnretiredKeys(executor, purpose).where('is_prepared', '=', 1).executeTakeFirst();
}

/** Makes a prepared key the one that signs. */
export async function activatePreparedKey(transaction: Transaction, kid: string): Promise<void> {
  await transaction.updateTable('signing_keys').set({ is_prepared: 0 }).where('kid', '=', kid).execute();
}

/** Lists the unretired keys, newest first: of a purpose, or only the one with this id. */
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

/**
 * Retires the keys that sign for the purpose: they sign nothing more, but verify what they signed until the last of it
 * has expired, assuming a lifetime of at least `lifetimeMs`. Returns until when each of them verifies.
 */
export function retireKeys(
  transaction: Transaction,
  { purpose, nowMs, lifetimeMs }: { purpose: SigningPurpose; nowMs: number; lifetimeMs: number },
): Promise<Pick<SigningKeyRow, 'kid' | 'retired_at_ms'>[]> {
  // Computed within the statement, so that what `extendLife` has stored meanwhile counts.
  const longest = sql`case when longest_life_ms > ${lifetimeMs} then longest_life_ms else ${lifetimeMs} end`;
  return transaction
    .updateTable('signing_keys')
    .set({ retired_at_ms: sql<number>`cast(${nowMs + learningMs} as bigint) + ${longest}` })
    .where('purpose', '=', purpose)
    .where('retired_at_ms', 'is', null)
    .where('is_prepared', '=', 0)
    .returning(['kid', 'retired_at_ms'])
    .execute();
}

/** Ends all keys of the purpose: none of them verifies anything any longer, and a prepared one will not be the next. */
export function endKeys(
  transaction: Transaction,
  purpose: SigningPurpose,
  nowMs: number,
): Promise<Pick<SigningKeyRow, 'kid' | 'retired_at_ms'>[]> {
  return transaction
    .updateTable('signing_keys')
    .set({ retired_at_ms: nowMs })
    .where('purpose', '=', purpose)
    .returning(['kid', 'retired_at_ms'])
    .execute();
}

/** Deletes the keys that no longer verify anything. */
export async function deleteRetiredKeys(transaction: Transaction, nowMs: number): Promise<void> {
  await transaction.deleteFrom('signing_keys').where('retired_at_ms', '<=', nowMs).execute();
}

export async function insertKey(transaction: Transaction, row: SigningKeyRow): Promise<void> {
  await transaction.insertInto('signing_keys').values(row).execute();
}

/** Records that the key signs something valid for that long from now, even if it has been replaced meanwhile. */
export async function extendLife(
  transaction: Transaction,
  { kid, nowMs, lifetimeMs }: { kid: string; nowMs: number; lifetimeMs: number },
): Promise<void> {
  const untilMs = nowMs + lifetimeMs + learningMs;
  const later = sql<number>`case when retired_at_ms < ${untilMs} then ${untilMs} else retired_at_ms end`;
  await transaction
    .updateTable('signing_keys')
    .set({ longest_life_ms: lifetimeMs, retired_at_ms: later })
    .where('kid', '=', kid)
    .where('longest_life_ms', '<', lifetimeMs)
    .execute();
}
