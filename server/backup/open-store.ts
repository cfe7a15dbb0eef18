/** The store that the settings name. */
import type { Config } from '../config.ts';
import { createPostgresStore } from './postgres-store.ts';
import { createSqliteStore } from './sqlite-store.ts';
import type { Store } from './store.ts';

export function openStore({ databaseUrl, databaseFile }: Config): Store {
  return databaseUrl === undefined ? createSqliteStore(databaseFile) : createPostgresStore(databaseUrl);
}
