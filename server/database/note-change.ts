/** Records changes that the triggers cannot see, see `migrations/baseline/account-change-triggers.ts`. */
import { sql } from 'kysely';
import type { Transaction } from './database.ts';
import { isPostgres } from './dialect.ts';

/** Records that the write changes something outside of the database that every process caches, such as the secrets. */
export async function noteChangeOfEverything(transaction: Transaction): Promise<void> {
  const note = isPostgres(transaction)
    ? sql`select note_account_change('*')`
    : sql`insert into account_changes (user_id) values (null)`;
  await note.execute(transaction);
}
