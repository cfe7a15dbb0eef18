/** The database in a SQLite file: one connection that writes, one that only reads. */
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely } from 'kysely';
import { createFileAtomically } from '../atomic-write.ts';
import type { Clock } from '../clock.ts';
import { StartError } from '../errors.ts';
import { applicationId, type Database, type Executor, type Transaction } from './database.ts';
import {
  DatabaseUnavailable,
  isNotSqlite,
  isSqliteBusy,
  isSqliteCorrupt,
  isSqliteUnavailable,
} from './database-errors.ts';
import { migrate } from './migrate.ts';
import { NodeSqliteDialect, WritingSqliteDialect } from './sqlite-driver.ts';
import type { Tables } from './tables.ts';
import { WriteQueue } from './write-queue.ts';

/** A write waits about 10 s for another process, such as an admin command, before it gives up. */
const lockRetryMs = 20;
const lockTries = 500;

/**
 * Opens the SQLite file at `path`, creating it if it does not exist, and brings its tables up to date.
 * Throws `StartError` for a folder that cannot be used, and for a file that is not a database of this service, is
 * damaged, or is of a newer version.
 */
export async function openSqlite(path: string, clock: Clock): Promise<Database> {
  try {
    ensureDatabaseFile(path);
    return await openMigrated(path, clock);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) {
      throw new StartError(`LATCHKEY_DATA is wrong: ${dirname(path)} cannot be used (${error.message})`, {
        cause: error,
      });
    }
    if (!isSqliteCorrupt(error)) throw error;
    throw new StartError(`${path} is damaged: replace it with a backup, by the admin command "restore".`, {
      cause: error,
    });
  }
}

/**
 * Creates the file if it does not exist, without tables.
 * Throws `StartError` for a file that is not a database of this service, an empty one included.
 */
export function ensureDatabaseFile(path: string): void {
  if (!existsSync(path)) createFileAtomically(path, fillDatabaseFile);
  if (readApplicationId(path) !== applicationId) {
    throw new StartError(
      `${path} is not a database of this service: it is left as it is. Move it away, or set LATCHKEY_DATA to another folder.`,
    );
  }
}

async function openMigrated(path: string, clock: Clock): Promise<Database> {
  const database = new SqliteDatabase(path);
  try {
    await migrate(database, clock);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

class SqliteDatabase implements Database {
  readonly dialect = 'sqlite';
  readonly read: Executor;
  readonly #reading: DatabaseSync;
  readonly #writing: DatabaseSync;
  readonly #writes: WriteQueue;

  constructor(path: string) {
    this.#writing = openForWriting(path);
    this.#writes = new WriteQueue(
      new Kysely<Tables>({
        dialect: new WritingSqliteDialect(this.#writing, () => beginImmediate(this.#writing)),
      }),
    );
    this.#reading = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
    this.read = new Kysely<Tables>({ dialect: new NodeSqliteDialect(this.#reading) });
  }

  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#writes.run(work).catch(rethrow);
  }

  async close(): Promise<void> {
    await this.#writes.idle();
    for (const connection of [this.#reading, this.#writing]) if (connection.isOpen) connection.close();
  }
}

function openForWriting(path: string): DatabaseSync {
  const connection = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
  connection.exec(
    'pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = full; pragma trusted_schema = off;',
  );
  // From now on `beginImmediate` waits for the lock.
  connection.exec('pragma busy_timeout = 0');
  return connection;
}

/** Waits for the lock without blocking the event loop, as SQLite's own busy timeout would. */
async function beginImmediate(connection: DatabaseSync): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      connection.exec('begin immediate');
      return;
    } catch (error) {
      if (!isSqliteBusy(error) || tries >= lockTries) throw error;
    }
    await sleep(lockRetryMs);
  }
}

function rethrow(error: unknown): never {
  throw isSqliteUnavailable(error) ? new DatabaseUnavailable(error) : error;
}

function fillDatabaseFile(path: string): void {
  const connection = new DatabaseSync(path);
  connection.exec(`pragma application_id = ${applicationId}; pragma auto_vacuum = incremental; vacuum;`);
  connection.close();
}

function readApplicationId(path: string): number | undefined {
  if (!statSync(path).isFile() || statSync(path).size === 0) return undefined;
  const connection = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    return Number(connection.prepare('pragma application_id').get()?.application_id);
  } catch (error) {
    if (isNotSqlite(error)) return undefined;
    throw error;
  } finally {
    connection.close();
  }
}
