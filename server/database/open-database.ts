/** Opens the configured database: PostgreSQL if there is a URL, otherwise SQLite in the data folder. */
import type { Clock } from '../clock.ts';
import type { Config } from '../settings/config.ts';
import type { Database } from './database.ts';
import { openSqlite, type SqliteOptions } from './sqlite-database.ts';

/** Opens the database and creates or updates its tables. Throws `StartError` like `openSqlite` and `openPostgres`. */
export async function openDatabase(
  { databaseUrl, databaseFile }: Pick<Config, 'databaseUrl' | 'databaseFile'>,
  clock: Clock,
  options: Pick<SqliteOptions, 'onSyncFailed'> = {},
): Promise<Database> {
  if (databaseUrl === undefined) return openSqlite(databaseFile, clock, options);
  const { openPostgres } = await import('./postgres-database.ts');
  return openPostgres(databaseUrl, clock);
}

/** Returns the path of the SQLite file, or the URL of the PostgreSQL database without user and password. */
export async function describeDatabase({
  databaseUrl,
  databaseFile,
}: Pick<Config, 'databaseUrl' | 'databaseFile'>): Promise<string> {
  if (databaseUrl === undefined) return databaseFile;
  const { describePostgres } = await import('./postgres-database.ts');
  return describePostgres(databaseUrl);
}
