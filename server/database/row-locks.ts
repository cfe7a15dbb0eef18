/**
 * Locks that keep the data a transaction's decision depends on from changing before it commits. On PostgreSQL
 * transactions run concurrently: each first locks the row that all decisions of its kind lock, and then reads the data.
 * On SQLite writes run one after the other, and the locks do nothing.
 *
 * A transaction that takes several locks must take named locks first, then those of accounts, and then those of what
 * an account has: its sessions, its licenses. Otherwise two transactions can deadlock.
 */
import { type SelectQueryBuilder, sql } from 'kysely';
import { applicationId, isPostgres, type Transaction } from './database.ts';
import type { Tables } from './tables.ts';

/**
 * Locks the rows that the query finds until the end of the transaction. What the transaction reads afterwards is
 * current. Others may still read the rows and refer to them, but not lock, change or delete them. A query of several
 * rows must be ordered, so that two transactions cannot deadlock.
 */
export async function lockRows<Table extends keyof Tables, Row>(
  transaction: Transaction,
  query: () => SelectQueryBuilder<Tables, Table, Row>,
): Promise<void> {
  if (isPostgres(transaction)) await query().forNoKeyUpdate().execute();
}

/** Reads the rows that the query finds, on either database, and locks them like `lockRows`. */
export function readAndLockRows<Table extends keyof Tables, Row>(
  transaction: Transaction,
  query: SelectQueryBuilder<Tables, Table, Row>,
): Promise<Row[]> {
  return (isPostgres(transaction) ? query.forNoKeyUpdate() : query).execute();
}

/**
 * Makes a query lock the rows that it finds like `lockRows`, and skip those that another transaction has locked: each
 * process takes other rows of a queue. A statement that changes the rows must name the query with `with`: PostgreSQL may
 * run a subquery of `in` again for each row of the table, and then finds more rows than its limit.
 */
export function skipLocked<Table extends keyof Tables, Row>(
  transaction: Transaction,
  query: SelectQueryBuilder<Tables, Table, Row>,
): SelectQueryBuilder<Tables, Table, Row> {
  return isPostgres(transaction) ? query.forNoKeyUpdate().skipLocked() : query;
}

/** Locks an account for decisions on it: its password, its sessions as a whole, its API key. */
export function lockUser(transaction: Transaction, userId: string): Promise<void> {
  return lockRows(transaction, () => transaction.selectFrom('users').select('id').where('id', '=', userId));
}

/** Like `lockUser`, for several users. */
export async function lockUsers(transaction: Transaction, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return;
  await lockRows(transaction, () =>
    transaction.selectFrom('users').select('id').where('id', 'in', userIds).orderBy('id'),
  );
}

/** Names of the locks for work that has no row to lock and must be done by one transaction at a time. */
type NamedLock =
  | 'migrations'
  | 'secrets'
  | 'signing keys'
  | 'plans'
  | 'installers'
  | 'retention'
  /**
   * One billing event at a time. Otherwise a subscription and its customer, or an event and the confirmation of its
   * email, would not see each other if they arrived at the same time, and the event would stay a dead letter.
   */
  | 'billing'
  | 'imported api keys'
  | 'staff'
  | 'statistics'
  | 'rate windows'
  | 'audit chain'
  | 'backups'
  | 'webhook endpoints';

/** Waits for the lock of this name, and holds it until the end of the transaction. */
export async function lockByName(transaction: Transaction, name: NamedLock): Promise<void> {
  if (!isPostgres(transaction)) return;
  const lock = sql`select pg_advisory_xact_lock(${applicationId}, hashtext(${name}))`;
  await lock.execute(transaction);
}
