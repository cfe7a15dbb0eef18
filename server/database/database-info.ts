/** Reads facts about the database itself for admins. */
import { statSync } from 'node:fs';
import { sql } from 'kysely';
import type { Executor } from './database.ts';
import { type Dialect, isPostgres } from './dialect.ts';

type DatabaseInfo = {
  readonly kind: Dialect;
  /** `undefined` if it cannot be determined. */
  readonly bytes: number | undefined;
  /** In the order in which they were applied. */
  readonly migrations: readonly { readonly name: string; readonly applied_at_ms: number }[];
};

/** Reads the facts; `file` is the file of a SQLite database. */
export async function readDatabaseInfo(executor: Executor, file: string): Promise<DatabaseInfo> {
  const kind = isPostgres(executor) ? 'postgres' : 'sqlite';
  const migrations = await executor.selectFrom('migrations').selectAll().orderBy('name').execute();
  return { kind, bytes: await readDatabaseBytes(executor, file), migrations };
}

/** Returns the size of the database; `undefined` if it cannot be determined. */
export async function readDatabaseBytes(executor: Executor, file: string): Promise<number | undefined> {
  return isPostgres(executor) ? readPostgresSize(executor) : readSqliteSizes(file)?.bytes;
}

async function readPostgresSize(executor: Executor): Promise<number | undefined> {
  const size = sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`;
  try {
    return Number((await size.execute(executor)).rows[0]?.bytes);
  } catch {
    // The database user may lack the privilege to connect to it by name.
    return undefined;
  }
}

type SqliteSizes = {
  /** The size of the database and its write-ahead log together. */
  readonly bytes: number;
  /** Size of the write-ahead log: what has been written since the last checkpoint, plus space that it will reuse. */
  readonly writeAheadLogBytes: number;
};

/** Returns the sizes; `undefined` if there is no such file. */
export function readSqliteSizes(file: string): SqliteSizes | undefined {
  const main = statSync(file, { throwIfNoEntry: false })?.size;
  const writeAheadLogBytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return main === undefined ? undefined : { bytes: main + writeAheadLogBytes, writeAheadLogBytes };
}
