/** Classifies errors of SQLite and PostgreSQL: database unavailable, constraint violated, file damaged. */
import type { DatabaseError } from 'pg';
import { ApiError, codeOf, messageOf } from '../errors.ts';

/**
 * The database is locked by another process, unreachable, full or failing. Nothing was written, except possibly if the
 * connection was lost during COMMIT.
 */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable';

  constructor(cause: unknown) {
    super('the database cannot be used at the moment', { cause });
  }
}

/** Waits for a write whose failure must not fail the request, such as when a session or device was last used. */
export async function unlessUnavailable(writing: Promise<unknown>): Promise<void> {
  try {
    await writing;
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
  }
}

/**
 * True if another connection holds a lock: on SQLite the write lock, on PostgreSQL any lock that was not free in time.
 */
export function isLockHeld(error: unknown): boolean {
  return isSqliteError(error, 'busy') || sqlState(error) === lockNotAvailable;
}

/** True if a write violated a UNIQUE, CHECK, NOT NULL or FOREIGN KEY constraint. */
export function isConstraintViolation(error: unknown): boolean {
  return sqliteCode(error) === sqliteConstraint || sqlState(error).startsWith('23');
}

/**
 * For the `catch` of an admin's write in which only the foreign key to the account can fail, because the account was
 * deleted after its look-up. Throws `ApiError` NOT_FOUND for that failure, and any other error unchanged.
 */
export function rejectMissingAccount(error: unknown): never {
  throw isConstraintViolation(error) ? new ApiError('NOT_FOUND', 'The account has been deleted.') : error;
}

/**
 * Like `rejectMissingAccount`, for a write by the account's user, whose token is no longer valid: `ApiError`
 * INVALID_TOKEN.
 */
export function rejectDeletedAccount(error: unknown): never {
  throw isConstraintViolation(error) ? new ApiError('INVALID_TOKEN') : error;
}

/** The primary result codes of a database that cannot be used (sqlite.org/rescode.html). */
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
  notADatabase: 26,
} as const;

const sqliteUnavailable: ReadonlySet<number | undefined> = new Set(Object.values(sqlite));

const sqliteConstraint = 19;

/** Returns the primary result code, or `undefined` for an error that is not SQLite's. */
function sqliteCode(error: unknown): number | undefined {
  if (error instanceof DatabaseUnavailable) return sqliteCode(error.cause);
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}

/**
 * True if SQLite reported this code: `busy` if another connection holds the lock, `readOnly` if a read-only connection
 * was refused, for example because of a journal left by a killed process, `corrupt` for damaged pages, and
 * `notADatabase` for a file that is not a SQLite database at all.
 */
export function isSqliteError(error: unknown, name: keyof typeof sqlite): boolean {
  return sqliteCode(error) === sqlite[name];
}

/**
 * True if the connection is closed: the server is stopping, and has not waited for a request whose client is gone.
 */
function isSqliteClosed(error: unknown): boolean {
  return codeOf(error) === 'ERR_INVALID_STATE';
}

/** Returns the error as `DatabaseUnavailable`, unless the query itself caused it. */
export function toSqliteError(error: unknown, access: 'write' | 'read'): unknown {
  if (isSqliteClosed(error)) return new DatabaseUnavailable(error);
  const code = sqliteCode(error);
  const isWriteThroughRead = code === sqlite.readOnly && access === 'read';
  return sqliteUnavailable.has(code) && !isWriteThroughRead ? new DatabaseUnavailable(error) : error;
}

/** True if the disk of the file is full or fails. SQLite reports some writes to a full disk as I/O errors. */
export function isSqliteDiskFailure(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === sqlite.full || code === sqlite.ioError;
}

/**
 * SQLSTATE classes (postgresql.org/docs/current/errcodes-appendix.html): connection exception, insufficient resources,
 * operator intervention, system error; and single codes: lock not available, read-only transaction, serialization
 * failure, deadlock, query canceled.
 */
const postgresUnavailable = /^(?:08|53|57P|58)|^(?:55P03|25006|40001|40P01|57014)$/;

const lockNotAvailable = '55P03';
const insufficientPrivilege = '42501';
const untranslatableCharacter = '22P05';
const diskFull = '53100';
const ioError = '58030';

/** Returns the SQLSTATE, or an empty string for an error that PostgreSQL did not send. */
function sqlState(error: unknown): string {
  if (error instanceof DatabaseUnavailable) return sqlState(error.cause);
  return isSentByPostgres(error) ? (error.code ?? '') : '';
}

/** True if PostgreSQL refused a statement because the role lacks a privilege. */
export function isPermissionDenied(error: unknown): boolean {
  return sqlState(error) === insufficientPrivilege;
}

/** True if PostgreSQL refused the role, its password or the database (classes 28 and 3D). Trying again is no use. */
export function isConnectionRefused(error: unknown): boolean {
  return /^(?:28|3D)/.test(sqlState(error));
}

/** True if the encoding of the PostgreSQL database lacks a character, so it is not UTF8. */
export function isOtherEncoding(error: unknown): boolean {
  return sqlState(error) === untranslatableCharacter;
}

/** True if the disk of PostgreSQL is full or fails. */
export function isPostgresDiskFailure(error: unknown): boolean {
  return [diskFull, ioError].includes(sqlState(error));
}

const deadlockDetected = '40P01';
const serializationFailure = '40001';
const foreignKeyViolation = '23503';

/** A conflict with a transaction that runs at the same time may repeat with others. */
const maxTries = 20;
/** The second try sees what was deleted at the same time as the first; if that is the row's owner, none succeeds. */
const maxForeignKeyTries = 3;

/**
 * Returns how often to try a transaction that failed with this error: several times if it conflicted with a concurrent
 * one, for example one that deletes the account in question.
 */
export function countTries(error: unknown): number {
  const state = sqlState(error);
  if (state === foreignKeyViolation) return maxForeignKeyTries;
  return state === deadlockDetected || state === serializationFailure ? maxTries : 1;
}

/** True if the query never ran or its transaction was lost, and the query itself was not the cause. */
export function isPostgresUnavailable(error: unknown): boolean {
  if (isSentByPostgres(error)) return postgresUnavailable.test(sqlState(error));
  // An error that the server did not send is a connection error: refused, reset, timed out or ended.
  return error instanceof Error;
}

/** Checks the fields, so that a server on SQLite does not load the PostgreSQL client. */
export function isSentByPostgres(error: unknown): error is DatabaseError {
  return error instanceof Error && 'severity' in error;
}

/** Describes in one line why a server cannot start. */
export function describeStartFailure(error: unknown): string {
  const reason = messageOf(error);
  const cause = error instanceof DatabaseUnavailable ? error.cause : undefined;
  return (cause instanceof Error ? `${reason} (${cause.message})` : reason).replaceAll('\n', ' ');
}
