/** Reads facts about the database itself for admins. */
import { statSync } from 'node:fs';
import { sql } from 'kysely';
import { type Dialect, type Executor, isPostgres } from './database.ts';

/** Reads the facts. `file` is the file of a SQLite database; the migrations are in the order of their application. */
export async function readDatabaseInfo(executor: Executor, file: string) {
  const kind: Dialect = isPostgres(executor) ? 'postgres' : 'sqlite';
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
