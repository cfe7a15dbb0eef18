/** Who may sign in as staff: which passwords support has set, and where passkeys were added. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const staffCredentials: Migration = {
  name: '0020-staff-credentials',
  async apply(transaction, dialect) {
    const integer = dialect === 'sqlite' ? 'integer' : 'bigint';
    const statements = [
      `alter table users add column support_set_password_at_ms ${integer}`,
      "alter table passkeys add column origin text not null default ''",
    ];
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};
