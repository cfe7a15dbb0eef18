/** Opens a single SQLite file for reading, by queries and by SQLite's own checks, or creates and fills one. */
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { applicationId, type Executor, type Transaction } from '../database/database.ts';
import { isSqliteError } from '../database/database-errors.ts';
import { ensureDatabaseFile } from '../database/sqlite-database.ts';
import { NodeSqliteDialect } from '../database/sqlite-driver.ts';
import type { Tables } from '../database/tables.ts';
import { messageOf } from '../errors.ts';

type SqliteFile = {
  readonly connection: DatabaseSync;
  readonly executor: Executor;
};

/** How the problem of a file begins that SQLite cannot read. */
export const unreadable = 'SQLite cannot read the file';

const lockTimeoutMs = 10_000;
/** Rows are inserted in the order of their ids, so the indexes on hashes are written all over the file. */
const fillCacheMiB = 32;
const fillCache = `pragma cache_size = -${fillCacheMiB * 1024}`;

/** Opens the file read-only while `work` runs, even while the server writes to it. */
export async function withSqliteFile<T>(path: string, work: (file: SqliteFile) => Promise<T>): Promise<T> {
  using connection = new DatabaseSync(path, { readOnly: true, timeout: lockTimeoutMs });
  const executor = new Kysely<Tables>({ dialect: new NodeSqliteDialect(connection) });
  return await work({ connection, executor });
}

/** Creates the file and runs `fill` on it in one transaction. The caller must sync the file if it is to be kept. */
export async function fillSqliteFile(
  path: string,
  fill: (transaction: Transaction) => Promise<unknown>,
): Promise<void> {
  ensureDatabaseFile(path);
  await runTransaction(path, `${fillCache}; pragma synchronous = off`, fill);
}

/** Runs `work` in one transaction on the file, which the server may be using. */
export async function writeSqliteFile(
  path: string,
  work: (transaction: Transaction) => Promise<unknown>,
): Promise<void> {
  await runTransaction(path, fillCache, work);
}

async function runTransaction(
  path: string,
  pragmas: string,
  work: (transaction: Transaction) => Promise<unknown>,
): Promise<void> {
  using connection = new DatabaseSync(path, { enableForeignKeyConstraints: true, timeout: lockTimeoutMs });
  connection.exec(pragmas);
  const executor = new Kysely<Tables>({ dialect: new NodeSqliteDialect(connection, 'write') });
  await executor.transaction().execute(work);
}

/** Returns what SQLite's own checks find wrong with the file, one message each. */
export function findDamage({ connection }: SqliteFile): string[] {
  try {
    const id = Number(connection.prepare('pragma application_id').get()?.application_id);
    if (id !== applicationId) return ['the file is not a database of this service'];
    return [...findCorruption(connection), ...findOrphans(connection)];
  } catch (error) {
    if (isSqliteError(error, 'notADatabase')) return ['the file is not an SQLite database'];
    return [`${unreadable}: ${messageOf(error)}`];
  }
}

function findCorruption(connection: DatabaseSync): string[] {
  const rows = connection.prepare('pragma integrity_check(20)').all();
  const messages = rows.map((row) => String(row.integrity_check));
  return messages.filter((message) => message !== 'ok').map((message) => `integrity: ${message}`);
}

function findOrphans(connection: DatabaseSync): string[] {
  const counts = new Map<string, number>();
  for (const row of connection.prepare('pragma foreign_key_check').iterate()) {
    const link = `${row.table} → ${row.parent}`;
    counts.set(link, (counts.get(link) ?? 0) + 1);
  }
  return [...counts].map(([link, count]) => `foreign keys: ${count} of ${link} refer to a row that does not exist`);
}
