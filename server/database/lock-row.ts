/** Row locks behind one function, so that repositories read the same on both databases. */
import type { SelectQueryBuilder } from 'kysely';
import type { Database } from './database.ts';
import type { Tables } from './tables.ts';

/**
 * Holds the rows of a select against other writers until the transaction ends.
 * SQLite has one writer at a time (BEGIN IMMEDIATE): there the query stays as it is.
 */
export function lockRow<T extends keyof Tables, O>(
  dialect: Database['dialect'],
  query: SelectQueryBuilder<Tables, T, O>,
): SelectQueryBuilder<Tables, T, O> {
  return dialect === 'postgres' ? query.forUpdate() : query;
}
