/** Which of the two databases a query is for, where the statement differs. */
import { type Kysely, PostgresAdapter } from 'kysely';
import type { Tables } from './tables.ts';

export type Dialect = 'sqlite' | 'postgres';

/** Whether the database is PostgreSQL, for the few statements that SQLite does not have. */
export function isPostgres(executor: Kysely<Tables>): boolean {
  return executor.getExecutor().adapter instanceof PostgresAdapter;
}
