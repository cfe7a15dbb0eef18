/** Whether only the email that its buyer typed says whose subscription it is. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const subscriptionEmails: Migration = {
  name: '0025-subscription-emails',
  async apply(transaction, dialect) {
    const integer = dialect === 'sqlite' ? 'integer' : 'bigint';
    const column = `by_typed_email ${integer} not null default 0 check (by_typed_email in (0, 1))`;
    await sql.raw(`alter table subscriptions add column ${column}`).execute(transaction);
  },
};
