/** What an error of SQLite or PostgreSQL means: the database cannot be used now, a constraint failed, a file is damaged. */
import type { DatabaseError } from 'pg';
import { messageOf } from '../errors.ts';
import type { Tables } from './tables.ts';

/** The database is locked by another process, unreachable, full or failing. Nothing was written, except possibly when the connection was lost during COMMIT. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super('the database cannot be used at the moment', { cause });
    this.name = 'DatabaseUnavailable';
  }
}

/** Waits for a write that a request need not fail for, such as when a session was last used. */
export async function unlessUnavailable(writing: Promise<unknown>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
  }
}

/** Whether another connection has a lock: on SQLite that of all writers, on PostgreSQL any that was not free in time. */
export function isLockHeld(error: unknown): boolean {
  return isSqliteBusy(error) || sqlState(error) === lockNotAvailable;
}

/** Whether a write failed on a UNIQUE, CHECK, NOT NULL or FOREIGN KEY constraint. */
export function isConstraintViolation(error: unknown): boolean {
  return sqliteCode(error) === sqlite.constraint || sqlState(error).startsWith('23');
}

/** Primary result codes (sqlite.org/rescode.html). */
const sqlite = {
  busy: 5,
  locked: 6,
  noMemory: 7,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  protocol: 15,
  constraint: 19,
  notADatabase: 26,
} as const;

const sqliteUnavailable: ReadonlySet<number | undefined> = new Set([
  sqlite.busy,
  sqlite.locked,
  sqlite.noMemory,
  sqlite.readOnly,
  sqlite.ioError,
  sqlite.corrupt,
  sqlite.full,
  sqlite.cannotOpen,
  sqlite.protocol,
  sqlite.notADatabase,
]);

/** The primary result code, or `undefined` for an error that is not SQLite's. */
function sqliteCode(error: unknown): number | undefined {
  if (error instanceof DatabaseUnavailable) return sqliteCode(error.cause);
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}

/** Whether another connection has the lock. */
export function isSqliteBusy(error: unknown): boolean {
  return sqliteCode(error) === sqlite.busy;
}

/** Whether a connection that only reads was refused, such as by the journal of a process that was killed. */
export function isSqliteReadOnly(error: unknown): boolean {
  return sqliteCode(error) === sqlite.readOnly;
}

/** The error as `DatabaseUnavailable`, unless the query itself is its cause. */
export function toSqliteError(error: unknown, access: 'write' | 'read'): unknown {
  const code = sqliteCode(error);
  const isWriteThroughRead = code === sqlite.readOnly && access === 'read';
  return sqliteUnavailable.has(code) && !isWriteThroughRead ? new DatabaseUnavailable(error) : error;
}

/** Whether the file is a SQLite database with damaged pages. */
export function isSqliteCorrupt(error: unknown): boolean {
  return sqliteCode(error) === sqlite.corrupt;
}

/** Whether the file is not a SQLite database at all. */
export function isNotSqlite(error: unknown): boolean {
  return sqliteCode(error) === sqlite.notADatabase;
}

/**
 * Classes of SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html): connection, insufficient resources,
 * operator intervention, system error; and single codes: lock not available, read-only server,
 * serialization failure, deadlock, query canceled.
 */
const postgresUnavailable = /^(?:08|53|57P|58)|^(?:55P03|25006|40001|40P01|57014)$/;

const lockNotAvailable = '55P03';

/** The SQLSTATE, or an empty string for an error that PostgreSQL did not send. */
function sqlState(error: unknown): string {
  if (error instanceof DatabaseUnavailable) return sqlState(error.cause);
  return isSentByPostgres(error) ? (error.code ?? '') : '';
}

const deadlockDetected = '40P01';
const serializationFailure = '40001';
const foreignKeyViolation = '23503';

/**
 * Tables with rows that belong to what may be deleted at that moment, since it is not locked: a webhook endpoint, an account of a
 * billing event or of an imported license, a member of staff who signs in. The next try knows that it is gone; any other violation
 * would be the same again.
 */
const retriedTables: readonly (keyof Tables)[] = ['event_deliveries', 'subscriptions', 'licenses', 'staff_sessions'];

/**
 * Whether the transaction would succeed if it ran again: it conflicted with another one that runs at the same time, such as
 * one that deletes the account that it is about.
 */
export function isRetryable(error: unknown): boolean {
  const cause = error instanceof DatabaseUnavailable ? error.cause : error;
  if (!isSentByPostgres(cause)) return false;
  if (cause.code === foreignKeyViolation) return retriedTables.some((table) => table === cause.table);
  return cause.code === deadlockDetected || cause.code === serializationFailure;
}

/** Whether the query never ran, or its transaction is lost, through no fault of the query. */
export function isPostgresUnavailable(error: unknown): boolean {
  if (isSentByPostgres(error)) return postgresUnavailable.test(sqlState(error));
  // An error that the server did not send is one of the connection: refused, reset, timed out, ended.
  return error instanceof Error;
}

/** Recognized by its fields, so that a server on SQLite does not load the client of PostgreSQL. */
export function isSentByPostgres(error: unknown): error is DatabaseError {
  return error instanceof Error && 'severity' in error;
}

/** Why a server cannot start, in one line. */
export function describeStartFailure(error: unknown): string {
  const reason = messageOf(error);
  const cause = error instanceof DatabaseUnavailable ? error.cause : undefined;
  return (cause instanceof Error ? `${reason} (${cause.message})` : reason).replaceAll('\n', ' ');
}
