/** Opens the database of the service in PostgreSQL: one connection that writes, some that read. */
import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Clock } from '../clock.ts';
import { StartError } from '../errors.ts';
import { type Database, DatabaseUnavailable, type Executor } from './database.ts';
import { migrate } from './migrate.ts';
import { WritingPostgresDialect } from './postgres-dialect.ts';
import { createPostgresPool } from './postgres-pool.ts';
import type { Tables } from './tables.ts';
import { WriteQueue } from './write-queue.ts';

const readers = 8;

/**
 * Opens the database that a `postgres://` URL names, and brings its tables up to date.
 * Throws `StartError` when it cannot be reached, is of a newer version, or has tables of something else.
 */
export async function openPostgres(url: string, clock: Clock): Promise<Database> {
  const writer = new Kysely<Tables>({ dialect: new WritingPostgresDialect({ pool: createPostgresPool(url, 1) }) });
  const read = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: createPostgresPool(url, readers) }) });
  const queue = new WriteQueue(writer);
  const close = async () => {
    await queue.idle();
    await Promise.all([read.destroy(), writer.destroy()]);
  };
  try {
    await refuseForeignTables(read, url);
    await migrate((work) => queue.run(work), 'postgres', clock);
  } catch (error) {
    await close();
    throw error instanceof DatabaseUnavailable ? unreachable(url, error) : error;
  }
  return { dialect: 'postgres', read, write: (work) => queue.run(work), close };
}

/** The database of a URL for people: without user and password. */
export function describePostgres(url: string): string {
  const { host, pathname } = new URL(url);
  return `postgres://${host}${pathname}`;
}

/** Tables without our list of migrations are somebody else's. */
async function refuseForeignTables(read: Executor, url: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema()`.execute(read);
  if (rows.length === 0 || rows.some(({ name }) => name === 'migrations')) return;
  throw new StartError(
    `${describePostgres(url)} is not a database of this service: it is left as it is. Name an empty one in DATABASE_URL.`,
  );
}

function unreachable(url: string, { cause }: DatabaseUnavailable): StartError {
  const reason = cause instanceof Error ? cause.message || ('code' in cause ? String(cause.code) : cause.name) : '';
  return new StartError(`DATABASE_URL: ${describePostgres(url)} cannot be used (${reason})`, { cause });
}
