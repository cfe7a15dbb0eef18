/** Queries on the encrypted signing keys. */
import { sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

export type SigningKeyRow = Tables['signing_keys'];
export type SigningPurpose = SigningKeyRow['purpose'];

/** For processes that have not learned of a new key yet. */
const learningMs = 60 * 60 * 1000;

function selectUnretiredKeys(executor: Executor, purpose: SigningPurpose) {
  return executor
    .selectFrom('signing_keys')
    .selectAll()
    .where('purpose', '=', purpose)
    .where('retired_at_ms', 'is', null);
}

/** The key that signs for a purpose: the newest that none has replaced. */
export function findCurrentKey(executor: Executor, purpose: SigningPurpose): Promise<SigningKeyRow | undefined> {
  return selectUnretiredKeys(executor, purpose)
    .where('is_prepared', '=', 0)
    .orderBy('created_at_ms', 'desc')
    .orderBy('kid', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** The key that the next rotation lets sign for a purpose, where one was prepared. */
export function findPreparedKey(executor: Executor, purpose: SigningPurpose): Promise<SigningKeyRow | undefined> {
  return selectUnretiredKeys(executor, purpose).where('is_prepared', '=', 1).executeTakeFirst();
}

/** Lets a prepared key sign from now on. */
export async function activatePreparedKey(transaction: Transaction, kid: string): Promise<void> {
  await transaction.updateTable('signing_keys').set({ is_prepared: 0 }).where('kid', '=', kid).execute();
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

/**
 * Lets the keys that sign for the purpose verify what they signed until the last of that has expired, which is valid for
 * `lifetimeMs` at least, and sign nothing more. Returns until when each of them verifies.
 */
export function retireKeys(
  transaction: Transaction,
  { purpose, nowMs, lifetimeMs }: { purpose: SigningPurpose; nowMs: number; lifetimeMs: number },
): Promise<Pick<SigningKeyRow, 'kid' | 'retired_at_ms'>[]> {
  // Within the statement, so that what `extendLife` has stored meanwhile counts.
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

/** Lets no key of the purpose verify anything from now on, or be the next one where it was prepared. */
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

/** Deletes the keys that verify nothing any more. */
export async function deleteRetiredKeys(transaction: Transaction, nowMs: number): Promise<void> {
  await transaction.deleteFrom('signing_keys').where('retired_at_ms', '<=', nowMs).execute();
}

export async function insertKey(transaction: Transaction, row: SigningKeyRow): Promise<void> {
  await transaction.insertInto('signing_keys').values(row).execute();
}

/** Stores that the key signs what is valid for that long from now, also where it has been replaced meanwhile. */
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
