/** The database in PostgreSQL: some connections for writes, each one transaction at a time, and others for reads. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import type { Clock } from '../clock.ts';
import { StartError } from '../errors.ts';
import { type AccountChange, AccountChanges } from './account-changes.ts';
import type { Database, Executor, Transaction } from './database.ts';
import { DatabaseUnavailable, isLockHeld } from './database-errors.ts';
import { findMissing, migrate } from './migrate.ts';
import { PostgresChangeChannel } from './postgres-change-channel.ts';
import {
  longTimeouts,
  type PostgresTimeouts,
  sharingDialect,
  shortTimeouts,
  transactionDialect,
} from './postgres-driver.ts';
import { defaultWriteLimits, PostgresWrites } from './postgres-writes.ts';
import type { Tables } from './tables.ts';
import type { WriteStatistics } from './write-statistics.ts';

/** Few are enough, because queries are sent without waiting for the results of those before them. */
const readConnections = 4;

/** How long a starting process waits for another one that migrates, or for the tables that its own migration changes. */
const migrationPatienceMs = 10 * 60_000;
const migrationRetryMs = 500;

/**
 * Opens the database that a `postgres://` URL names, and brings its tables up to date.
 * Throws `StartError` when it cannot be reached, is of a newer version, or has tables of another program.
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
    if (!isUpToDate) await migratePatiently(url, clock);
    return database;
  } catch (error) {
    await database.close();
    throw error instanceof DatabaseUnavailable ? cannotBeUsed(url, error) : error;
  }
}

/**
 * A migration may take longer than a server's queries. Queries queue behind it while it waits for a table, so it waits no
 * longer than they may, and then tries again.
 */
async function migratePatiently(url: string, clock: Clock): Promise<void> {
  const database = new PostgresDatabase(url, { ...longTimeouts, lockTimeoutMs: shortTimeouts.lockTimeoutMs });
  const startedMs = performance.now();
  try {
    for (;;) {
      const isDone = await migrate(database, clock).then(
        () => true,
        (error: unknown) => {
          if (!isLockHeld(error) || performance.now() - startedMs > migrationPatienceMs) throw error;
          return false;
        },
      );
      if (isDone) return;
      await sleep(migrationRetryMs);
    }
  } finally {
    await database.close();
  }
}

/** The address in a URL without user and password, for reports and messages. */
export function describePostgres(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}

/** The names of the tables in the schema that the connection uses. */
export async function listPostgresTables(executor: Executor): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema()`.execute(executor);
  return rows.map(({ name }) => name);
}

class PostgresDatabase implements Database {
  readonly dialect = 'postgres';
  isNew = false;
  readonly read: Executor;
  readonly accountChanges: AccountChanges;
  readonly #writer: Executor;
  readonly #writes: PostgresWrites;
  #changeChannel: PostgresChangeChannel | undefined;

  constructor(url: string, timeouts: PostgresTimeouts) {
    const { concurrency, maxSlow } = defaultWriteLimits;
    this.#writer = new Kysely<Tables>({ dialect: transactionDialect(url, concurrency + maxSlow, timeouts) });
    this.#writes = new PostgresWrites(this.#writer);
    const executor = new Kysely<Tables>({ dialect: sharingDialect(url, readConnections, timeouts) });
    this.read = executor;
    this.accountChanges = new AccountChanges((apply) => {
      this.#changeChannel = new PostgresChangeChannel({ url, executor, apply });
      return this.#changeChannel;
    });
  }

  async write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    let change: AccountChange = [];
    try {
      return await this.#writes.run(async (transaction) => {
        const result = await work(transaction);
        change = await this.accountChanges.announce(transaction);
        return result;
      });
    } finally {
      this.accountChanges.apply(change);
    }
  }

  get writeStatistics(): WriteStatistics {
    return this.#writes;
  }

  async close(): Promise<void> {
    this.#changeChannel?.close();
    await this.#writes.idle();
    await Promise.all([this.read.destroy(), this.#writer.destroy()]);
  }
}

/** A database that has tables, but not our list of migrations, belongs to another program. */
function requireOwnTables(tables: readonly string[], url: string): void {
  if (tables.length === 0 || tables.includes('migrations')) return;
  throw new StartError(
    `${describePostgres(url)} is not a database of this service: it is left as it is. Name an empty one in DATABASE_URL.`,
  );
}

function cannotBeUsed(url: string, { cause }: DatabaseUnavailable): StartError {
  const reason = cause instanceof Error ? cause.message || ('code' in cause ? String(cause.code) : cause.name) : '';
  return new StartError(`DATABASE_URL: ${describePostgres(url)} cannot be used (${reason})`, { cause });
}
