/** The database that a query is for, where the SQL differs. */
import { type Kysely, PostgresAdapter } from 'kysely';
import type { Tables } from './tables.ts';

export type Dialect = 'sqlite' | 'postgres';

/** True if the database is PostgreSQL, for the few statements that SQLite does not have. */
export function isPostgres(executor: Kysely<Tables>): boolean {
  return executor.getExecutor().adapter instanceof PostgresAdapter;
}
