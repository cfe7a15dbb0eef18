/** Chooses the store of the database that the settings name. */
import type { Config } from '../config.ts';
import { PostgresStore } from './postgres-store.ts';
import { SqliteStore } from './sqlite-store.ts';
import type { Store } from './store.ts';

export function openStore({ databaseUrl, databaseFile }: Config): Store {
  return databaseUrl === undefined ? new SqliteStore(databaseFile) : new PostgresStore(databaseUrl);
}
