/** Who may sign in as staff: which passwords support has set, where passkeys were added; and which mails were sent to whom. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const staffCredentials: Migration = {
  name: '0020-staff-credentials',
  async apply(transaction, dialect) {
    const [integer, strict] = dialect === 'sqlite' ? ['integer', ' strict'] : ['bigint', ''];
    const statements = [
      `alter table users add column support_set_password_at_ms ${integer}`,
      "alter table passkeys add column origin text not null default ''",
      `create table sent_mails (
        id text primary key,
        recipient_hash text not null,
        category text not null check (category in ('link', 'notice')),
        sent_at_ms ${integer} not null
      )${strict}`,
      'create index sent_mails_of_recipient on sent_mails (recipient_hash, category)',
      'create index sent_mails_by_time on sent_mails (sent_at_ms)',
    ];
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};
