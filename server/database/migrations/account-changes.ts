/** Which accounts were changed last, for the other processes on a SQLite file; PostgreSQL has NOTIFY for that. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const accountChanges: Migration = {
  name: '0007-account-changes',
  async apply(transaction, dialect) {
    if (dialect !== 'sqlite') return;
    // A null user stands for every account.
    await sql
      .raw('create table account_changes (seq integer primary key autoincrement, user_id text) strict')
      .execute(transaction);
  },
};
