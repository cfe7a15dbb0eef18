/** The database in PostgreSQL: one connection that writes, several that read. */
import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Clock } from '../clock.ts';
import { StartError } from '../errors.ts';
import type { Database, Executor, Transaction } from './database.ts';
import { DatabaseUnavailable, isUnavailable } from './database-errors.ts';
import { findMissing, migrate } from './migrate.ts';
import {
  createPostgresPool,
  longTimeouts,
  type PostgresTimeouts,
  shortTimeouts,
  WritingPostgresDialect,
} from './postgres-driver.ts';
import type { Tables } from './tables.ts';
import { type WriteLimits, WriteQueue, type Writer } from './write-queue.ts';

const readConnections = 8;

/** While one process migrates, another that starts waits for it. */
const migrationLimits = { timeoutMs: 10 * 60_000, patienceMs: 10 * 60_000 };

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
    const isUpToDate = tables.length > 0 && (await findMissing(database.read)).length === 0;
    if (!isUpToDate) await migratePatiently(url, clock);
    return database;
  } catch (error) {
    await database.close();
    throw error instanceof DatabaseUnavailable ? cannotBeUsed(url, error) : error;
  }
}

/** A migration may take longer than the queries of a running server. */
async function migratePatiently(url: string, clock: Clock): Promise<void> {
  const database = new PostgresDatabase(url, longTimeouts, migrationLimits);
  try {
    await migrate(database, clock);
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
  readonly read: Executor;
  readonly #writer: Executor;
  readonly #writes: WriteQueue;

  constructor(url: string, timeouts: PostgresTimeouts, limits: Partial<WriteLimits> = {}) {
    this.#writer = new Kysely<Tables>({ dialect: new WritingPostgresDialect(url, timeouts) });
    this.#writes = new WriteQueue(createWriter(this.#writer), limits);
    this.read = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: createPostgresPool(url, readConnections, timeouts) }),
    });
  }

  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#writes.run(work);
  }

  async close(): Promise<void> {
    await this.#writes.idle();
    await Promise.all([this.read.destroy(), this.#writer.destroy()]);
  }
}

/** A commit of PostgreSQL is on the disk. */
function createWriter(connection: Executor): Writer {
  return {
    transact: (work) => connection.transaction().execute(work),
    async attempt(work, transaction) {
      await sql`savepoint job`.execute(transaction);
      try {
        const result = await work(transaction);
        await sql`release job`.execute(transaction);
        return result;
      } catch (error) {
        if (!isUnavailable(error)) await sql`rollback to job; release job`.execute(transaction);
        throw error;
      }
    },
    sync: async () => undefined,
  };
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
