/**
 * The database in PostgreSQL: one connection pool for writes and one for reads, so that writes waiting for a lock do
 * not block reads.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import { Client, escapeIdentifier } from 'pg';
import type { Clock } from '../clock.ts';
import { currentDeadline, DeadlineExceeded } from '../deadline.ts';
import { codeOf, messageOf, StartError } from '../errors.ts';
import { type AccountChange, CacheInvalidation } from './cache-invalidation.ts';
import type { Database, Executor, Transaction } from './database.ts';
import {
  countTries,
  DatabaseUnavailable,
  isLockHeld,
  isOtherEncoding,
  isPermissionDenied,
  isPostgresDiskFailure,
} from './database-errors.ts';
import { findMissing, migrate, migrations } from './migrate.ts';
import { PostgresChangeChannel, readChanges } from './postgres-change-channel.ts';
import { longTimeouts, type PostgresTimeouts, shortTimeouts, TimedPostgresDialect } from './postgres-dialect.ts';
import { DeadlinePool } from './postgres-pool.ts';
import type { Tables } from './tables.ts';
import { createCommitHistogram, type WriteStatistics } from './write-statistics.ts';

const readConnections = 4;
/** More than for reads, since some may be waiting for locks. */
const writeConnections = 12;

/** The pauses before a conflicting write is tried again, in ms. */
const retryPauseMs = 5;
const maxRetryPauseMs = 100;

/**
 * How long a starting process waits for the migration of another one, or for the tables that its own migration changes.
 */
const migrationTimeoutMs = 10 * 60_000;
const migrationRetryMs = 500;

/**
 * Opens the database at a `postgres://` URL, and brings its tables up to date. Throws `StartError` if it cannot be
 * reached, is of a newer version, is not in UTF8, has tables of another program, or is one in which the role may not
 * create tables.
 */
export async function openPostgres(
  url: string,
  clock: Clock,
  timeouts: PostgresTimeouts = shortTimeouts,
): Promise<Database> {
  const database = new PostgresDatabase(url, timeouts);
  try {
    const tables = await listPostgresTables(database.read);
    requireOwnTables(tables, url);
    database.isNew = tables.length === 0;
    const isUpToDate = tables.length > 0 && (await findMissing(database.read)).length === 0;
    if (!isUpToDate) await migrateWithRetries(url, clock);
    return database;
  } catch (error) {
    await database.close();
    const unusable = describeUnusable(url, error);
    if (unusable) throw new StartError(`DATABASE_URL: ${unusable}`, { cause: error });
    throw error instanceof DatabaseUnavailable ? cannotBeUsed(url, error) : error;
  }
}

/**
 * Migrates with longer time limits than a server's queries have. Queries queue up behind a migration that waits for a
 * table, so it waits for a lock no longer than they may, and then tries again.
 */
export async function migrateWithRetries(url: string, clock: Clock, wanted = migrations): Promise<void> {
  const database = new PostgresDatabase(url, { ...longTimeouts, lockTimeoutMs: shortTimeouts.lockTimeoutMs });
  const startedMs = performance.now();
  try {
    for (;;) {
      try {
        return await migrate(database, clock, wanted);
      } catch (error) {
        if (!isLockHeld(error) || performance.now() - startedMs > migrationTimeoutMs) throw error;
        await sleep(migrationRetryMs);
      }
    }
  } finally {
    await database.close();
  }
}

/** Returns the URL without user and password, for reports and messages. */
export function describePostgres(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}

/** Runs `work`. Throws `StartError` with what to do if the role lacks a privilege or the encoding is not UTF8. */
export async function explainingUnusable<T>(url: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const unusable = describeUnusable(url, error);
    throw unusable ? new StartError(unusable, { cause: error }) : error;
  }
}

/** Returns the names of the tables in the schema that the connection uses. */
export async function listPostgresTables(executor: Executor): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema()`.execute(executor);
  return rows.map(({ name }) => name);
}

/** Opens an executor for queries and transactions on at most `size` connections. */
export function openExecutor(url: string, size: number, timeouts: PostgresTimeouts): Executor {
  return new Kysely<Tables>({
    dialect: new TimedPostgresDialect({ pool: new DeadlinePool(url, size, timeouts) }, timeouts),
  });
}

class PostgresDatabase implements Database {
  isNew = false;
  readonly read: Executor;
  readonly cacheInvalidation: CacheInvalidation;
  readonly #writer: Executor;
  readonly writeStatistics: WriteStatistics;
  readonly #running = new Set<Promise<unknown>>();
  #changeChannel: PostgresChangeChannel | undefined;

  constructor(url: string, timeouts: PostgresTimeouts) {
    const writePool = new DeadlinePool(url, writeConnections, timeouts);
    this.#writer = new Kysely<Tables>({ dialect: new TimedPostgresDialect({ pool: writePool }, timeouts) });
    this.writeStatistics = {
      get waiting() {
        return writePool.waiting;
      },
      hasFailed: false,
      commits: createCommitHistogram(),
    };
    const executor = openExecutor(url, readConnections, timeouts);
    this.read = executor;
    this.cacheInvalidation = new CacheInvalidation((apply) => {
      this.#changeChannel = new PostgresChangeChannel({ url, executor, apply });
      return this.#changeChannel;
    });
  }

  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const writing = this.#write(work).finally(() => this.#running.delete(writing));
    this.#running.add(writing);
    return writing;
  }

  async close(): Promise<void> {
    this.#changeChannel?.close();
    await Promise.allSettled(this.#running);
    await Promise.all([this.read.destroy(), this.#writer.destroy()]);
  }

  async #write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#transact(work);
      } catch (error) {
        if (error instanceof DeadlineExceeded) throw new DatabaseUnavailable(error);
        if (tries >= countTries(error) || currentDeadline()?.problem()) throw error;
        await sleep(Math.min(tries * retryPauseMs, maxRetryPauseMs));
      }
    }
  }

  async #transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    let change: AccountChange = [];
    const startedMs = performance.now();
    try {
      const result = await this.#writer.transaction().execute(async (transaction) => {
        const value = await work(transaction);
        change = await readChanges(transaction);
        return value;
      });
      this.writeStatistics.commits.observe((performance.now() - startedMs) / 1000);
      return result;
    } catch (error) {
      if (isPostgresDiskFailure(error)) this.writeStatistics.hasFailed = true;
      throw error;
    } finally {
      this.cacheInvalidation.apply(change);
    }
  }
}

/** Throws `StartError` if the database has tables but not our migrations table: it belongs to another program. */
function requireOwnTables(tables: readonly string[], url: string): void {
  if (tables.length === 0 || tables.includes('migrations')) return;
  throw new StartError(
    `${describePostgres(url)} is not a database of this service: it is left as it is. Name an empty one in DATABASE_URL.`,
  );
}

/** Says what keeps the role from creating the tables, and what to do; `undefined` for any other error. */
function describeUnusable(url: string, cause: unknown): string | undefined {
  const named = `${describePostgres(url)} cannot be used (${messageOf(cause)})`;
  if (isOtherEncoding(cause)) return `${named}: create the database with "encoding 'UTF8' template template0"`;
  if (!isPermissionDenied(cause)) return undefined;
  // The URL may leave out the user and the database; the client knows what it connects to.
  const { database = '', user = '' } = new Client(url);
  const command = `alter database ${escapeIdentifier(database)} owner to ${escapeIdentifier(user)}`;
  return `${named}: make its role the owner of the database (${command}) and of its tables`;
}

function cannotBeUsed(url: string, { cause }: DatabaseUnavailable): StartError {
  const reason = cause instanceof Error ? cause.message || codeOf(cause) || cause.name : '';
  return new StartError(`DATABASE_URL: ${describePostgres(url)} cannot be used (${reason})`, { cause });
}
