/** Opens the database that the settings name: PostgreSQL where there is a URL, else SQLite in the data folder. */
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Database } from './database.ts';
import { openDatabase } from './open-database.ts';
import { openPostgres } from './open-postgres.ts';

/** Throws `StartError` as `openDatabase` and `openPostgres` do. */
export function openConfiguredDatabase({ databaseUrl, databaseFile }: Config, clock: Clock): Promise<Database> {
  return databaseUrl === undefined ? openDatabase(databaseFile, clock) : openPostgres(databaseUrl, clock);
}
