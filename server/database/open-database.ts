/** Opens the database that the settings name: PostgreSQL where there is a URL, otherwise SQLite in the data folder. */
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from './database.ts';
import { openPostgres } from './postgres-database.ts';
import { openSqlite } from './sqlite-database.ts';

/** Creates the tables or brings them up to date. Throws `StartError` as `openSqlite` and `openPostgres` do. */
export function openDatabase(
  { databaseUrl, databaseFile }: Pick<Config, 'databaseUrl' | 'databaseFile'>,
  clock: Clock,
): Promise<Database> {
  return databaseUrl === undefined ? openSqlite(databaseFile, clock) : openPostgres(databaseUrl, clock);
}
