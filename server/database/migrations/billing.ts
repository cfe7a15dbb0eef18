/** Events of billing providers, the last one applied to each account, and whose customer is which. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const billing: Migration = {
  name: '0012-billing',
  async apply(transaction, dialect) {
    const [integer, strict] = dialect === 'sqlite' ? ['integer', ' strict'] : ['bigint', ''];
    const statements = [
      `create table billing_events (
        id text primary key,
        provider text not null,
        event_id text not null,
        type text not null,
        state text not null check (state in ('applied', 'outdated', 'replaced', 'ignored', 'kept')),
        reason text,
        email text,
        customer_id text,
        event_at_ms ${integer} not null,
        received_at_ms ${integer} not null,
        payload text,
        unique (provider, event_id)
      )${strict}`,
      `create index kept_billing_events on billing_events (id) where state = 'kept'`,
      `create index kept_events_of_customers on billing_events (provider, customer_id) where state = 'kept'`,
      'create index billing_events_by_age on billing_events (received_at_ms)',
      `create table billing_accounts (
        user_id text primary key references users (id) on delete cascade,
        provider text not null,
        event_at_ms ${integer} not null,
        reference text
      )${strict}`,
      `create table billing_customers (
        provider text not null,
        customer_id text not null,
        email text,
        user_id text references users (id) on delete set null,
        primary key (provider, customer_id)
      )${strict}`,
      'create index billing_customers_of_user on billing_customers (user_id)',
    ];
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};
