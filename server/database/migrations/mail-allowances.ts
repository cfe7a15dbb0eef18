/** How much of what it may get by mail an address has used up. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const mailAllowances: Migration = {
  name: '0023-mail-allowances',
  async apply(transaction, dialect) {
    const [integer, strict] = dialect === 'sqlite' ? ['integer', ' strict'] : ['bigint', ''];
    const statements = [
      `create table mail_allowances (
        bucket_hash text primary key,
        used_until_ms ${integer} not null
      )${strict}`,
      'create index mail_allowances_by_time on mail_allowances (used_until_ms)',
    ];
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};
