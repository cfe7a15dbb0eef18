/** Opens the store of the configured database. */
import { requireReadable } from '../database/sqlite-database.ts';
import type { Config } from '../settings/config.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { Store } from './store.ts';

/** Throws `StartError` for a SQLite file that this user may not read. */
export async function openStore({
  databaseUrl,
  databaseFile,
}: Pick<Config, 'databaseUrl' | 'databaseFile'>): Promise<Store> {
  if (databaseUrl === undefined) {
    requireReadable(databaseFile);
    return new SqliteStore(databaseFile);
  }
  const { PostgresStore } = await import('./postgres-store.ts');
  return new PostgresStore(databaseUrl);
}
