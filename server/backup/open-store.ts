/** Opens the store of the configured database. */
import type { Config } from '../settings/config.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { Store } from './store.ts';

export async function openStore({
  databaseUrl,
  databaseFile,
}: Pick<Config, 'databaseUrl' | 'databaseFile'>): Promise<Store> {
  if (databaseUrl === undefined) return new SqliteStore(databaseFile);
  const { PostgresStore } = await import('./postgres-store.ts');
  return new PostgresStore(databaseUrl);
}
