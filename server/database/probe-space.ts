/** Finds out whether the database has space for anything new. */
import { sql } from 'kysely';
import type { Transaction } from './database.ts';
import { isPostgres } from './dialect.ts';

/**
 * Stores something, and fails if the disk is full. On PostgreSQL that is a temporary table, because a row may fit into a
 * page that exists. On SQLite it is a row of `meta`, which the next probe removes.
 */
export async function probeSpace(transaction: Transaction): Promise<void> {
  if (isPostgres(transaction)) {
    await sql`create temporary table probe on commit drop as select 1 as value`.execute(transaction);
  } else await transaction.insertInto('meta').values({ name: 'probe', value: '' }).execute();
}
