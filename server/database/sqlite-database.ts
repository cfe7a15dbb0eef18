/** The database in a SQLite file: one connection that writes and one that only reads. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { createFileAtomically } from '../atomic-write.ts';
import type { Clock } from '../clock.ts';
import { messageOf, StartError } from '../errors.ts';
import { type Scheduler, systemScheduler } from '../scheduler.ts';
import { CacheInvalidation } from './cache-invalidation.ts';
import { applicationId, type Database, type Executor, type Transaction } from './database.ts';
import { DatabaseUnavailable, isSqliteDiskFailure, isSqliteError } from './database-errors.ts';
import { migrate } from './migrate.ts';
import { SqliteChangeChannel } from './sqlite-change-channel.ts';
import { NodeSqliteDialect } from './sqlite-driver.ts';
import { defaultCheckpointBytes, SqliteWriter, type SqliteWriterDeps } from './sqlite-writer.ts';
import type { Tables } from './tables.ts';
import { syncFile } from './write-ahead-log.ts';
import { type WriteLimits, WriteQueue } from './write-queue.ts';
import type { WriteStatistics } from './write-statistics.ts';

/** Logged when the process exits because a sync failed. */
export const syncFailureMessage =
  'the disk failed to store what was written to the database: the process ends, and the next start makes sure of what is there';

/** How long a read waits for a lock, which blocks the process. Readers rarely have to wait. */
const readLockTimeoutMs = 250;

/** Tests set `sync`, `checkpointBytes` and `scheduler`. By default a failed sync ends the process. */
export type SqliteOptions = Partial<
  WriteLimits & Pick<SqliteWriterDeps, 'sync' | 'checkpointBytes' | 'onSyncFailed'> & { readonly scheduler: Scheduler }
>;

/**
 * Opens the SQLite file at `path`, creating it if it does not exist, and brings its tables up to date. Throws
 * `StartError` if the folder cannot be used or its database is missing, and if the file is not a database of this
 * service, is damaged, or is of a newer version.
 */
export async function openSqlite(path: string, clock: Clock, options: SqliteOptions = {}): Promise<Database> {
  try {
    requireNoLostDatabase(path);
    const isNew = !existsSync(path);
    if (!isNew) requireWritable(path);
    ensureDatabaseFile(path);
    return await openMigrated(path, { scheduler: systemScheduler, ...options, clock, isNew });
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw cannotBeUsed(path, error);
    if (isSqliteDiskFailure(error)) {
      const reason = messageOf(error instanceof DatabaseUnavailable ? error.cause : error);
      throw new StartError(`${path} cannot be used (${reason}): check that its disk is not full and works`, {
        cause: error,
      });
    }
    if (!isSqliteError(error, 'corrupt')) throw error;
    throw new StartError(`${path} is damaged: replace it with a backup, by the admin command "restore".`, {
      cause: error,
    });
  }
}

/** Throws `StartError` if the file exists and this user may not read it, or cannot find out. */
export function requireReadable(path: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    if (isNotPermitted(error as Error)) throw cannotBeUsed(path, error as Error);
  }
}

/** Throws `StartError` with the system's error, because SQLite's would say neither which file nor why. */
export function requireWritable(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw cannotBeUsed(path, error as Error);
  }
}

function cannotBeUsed(path: string, cause: Error): StartError {
  const remedy = isNotPermitted(cause) ? ': run this as the user who owns it' : '';
  return new StartError(`LATCHKEY_DATA is wrong: ${dirname(path)} cannot be used (${cause.message})${remedy}`, {
    cause,
  });
}

function isNotPermitted(error: Error): boolean {
  return 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
}

/**
 * Throws `StartError` if a database was moved away or deleted: an empty one in its place would look like losing all
 * data.
 */
function requireNoLostDatabase(path: string): void {
  // Checked in this order, because a first start in another process creates the database first, then the secrets.
  const trace = [`${path}-wal`, join(dirname(path), 'secrets.json')].find((file) => existsSync(file));
  if (trace === undefined || existsSync(path)) return;
  throw new StartError(
    `${path} is missing, but ${trace} shows that there was a database: put it back, set DATABASE_URL if it is in PostgreSQL, or restore a backup by the admin command "restore". To begin with an empty database, move ${trace} away.`,
  );
}

/**
 * Creates the file, without tables, if it does not exist. Throws `StartError` if the file is not a database of this
 * service, or is empty.
 */
export function ensureDatabaseFile(path: string): void {
  if (!existsSync(path)) createFileAtomically(path, fillDatabaseFile);
  if (readApplicationId(path) !== applicationId) {
    throw new StartError(
      `${path} is not a database of this service: it is left as it is. Move it away, or set LATCHKEY_DATA to another folder.`,
    );
  }
}

type OpenOptions = SqliteOptions & { readonly isNew: boolean; readonly clock: Clock; readonly scheduler: Scheduler };

async function openMigrated(path: string, options: OpenOptions): Promise<Database> {
  const database = new SqliteDatabase(path, options);
  try {
    await migrate(database, options.clock);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

class SqliteDatabase implements Database {
  readonly isNew: boolean;
  readonly read: Executor;
  readonly cacheInvalidation: CacheInvalidation;
  readonly #reading: DatabaseSync;
  readonly #writing: DatabaseSync;
  readonly #writer: SqliteWriter;
  readonly #writes: WriteQueue;

  constructor(path: string, options: OpenOptions) {
    const {
      clock,
      scheduler,
      isNew,
      sync = syncFile,
      checkpointBytes = defaultCheckpointBytes,
      onSyncFailed = endProcess,
    } = options;
    this.isNew = isNew;
    this.#writing = openForWriting(path);
    this.#writer = new SqliteWriter({ connection: this.#writing, path, sync, checkpointBytes, onSyncFailed });
    this.#reading = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
    this.#reading.exec(`pragma busy_timeout = ${readLockTimeoutMs}`);
    const connection = this.#reading;
    this.cacheInvalidation = new CacheInvalidation((apply) => new SqliteChangeChannel({ connection, clock, apply }));
    const { cacheInvalidation } = this;
    this.#writes = new WriteQueue({ writer: this.#writer, cacheInvalidation, clock, scheduler }, options);
    this.read = new Kysely<Tables>({ dialect: new NodeSqliteDialect(this.#reading) });
  }

  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#writes.run(work);
  }

  get writeStatistics(): WriteStatistics {
    return this.#writes;
  }

  async close(): Promise<void> {
    await this.#writes.idle();
    await this.#writer.close();
    for (const connection of [this.#reading, this.#writing]) if (connection.isOpen) connection.close();
  }
}

function endProcess(error: unknown): never {
  console.error(syncFailureMessage, error);
  process.exit(1);
}

function openForWriting(path: string): DatabaseSync {
  const file = statSync(path).ino;
  const connection = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
  // Waits while a restore holds the lock; fails below if the restore has replaced the file.
  connection.exec('pragma busy_timeout = 5000; select 1 from sqlite_master;');
  requireSameFile(connection, path, file);
  connection.exec('pragma trusted_schema = off;');
  switchToWriteAheadLog(connection);
  requireSameFile(connection, path, file);
  // From here on the queue waits for the lock, without blocking the process.
  connection.exec('pragma busy_timeout = 0');
  return connection;
}

/** Switches the database to the write-ahead log unless it has one. The first read creates the log's file. */
function switchToWriteAheadLog(connection: DatabaseSync): void {
  const statements = 'pragma journal_mode = wal; select 1 from sqlite_master;';
  try {
    connection.exec(statements);
  } catch (error) {
    if (!isSqliteError(error, 'busy')) throw error;
    // While another connection switches too, SQLite fails at once, despite the timeout; a read waits for the other.
    connection.exec('select 1 from sqlite_master;');
    connection.exec(statements);
  }
}

function requireSameFile(connection: DatabaseSync, path: string, file: number): void {
  if (existsSync(path) && statSync(path).ino === file) return;
  connection.close();
  throw new StartError(`${path} was replaced while it was opened: start again.`);
}

function fillDatabaseFile(path: string): void {
  using connection = new DatabaseSync(path);
  connection.exec(`pragma application_id = ${applicationId}; pragma auto_vacuum = incremental; vacuum;`);
}

function readApplicationId(path: string, readOnly = true): number | undefined {
  if (!statSync(path).isFile() || statSync(path).size === 0) return undefined;
  using connection = new DatabaseSync(path, { readOnly, timeout: 5000 });
  try {
    return Number(connection.prepare('pragma application_id').get()?.application_id);
  } catch (error) {
    if (isSqliteError(error, 'notADatabase')) return undefined;
    // Only a connection that may write can roll back what a killed process left unfinished.
    if (readOnly && isSqliteError(error, 'readOnly')) return readApplicationId(path, false);
    throw error;
  }
}
