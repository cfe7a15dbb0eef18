/** Webhook endpoints, and the deliveries of events to them. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const eventsOut: Migration = {
  name: '0013-events-out',
  async apply(transaction, dialect) {
    const [integer, strict] = dialect === 'sqlite' ? ['integer', ' strict'] : ['bigint', ''];
    const statements = [
      `create table webhook_endpoints (
        id text primary key,
        url text not null,
        events text not null,
        sealed_secret text not null,
        created_at_ms ${integer} not null,
        disabled_at_ms ${integer},
        disabled_reason text
      )${strict}`,
      `create table event_deliveries (
        id text primary key,
        endpoint_id text not null references webhook_endpoints (id) on delete cascade,
        event_id text not null,
        type text not null,
        at_ms ${integer} not null,
        data text not null,
        account_id text,
        email text,
        state text not null check (state in ('pending', 'delivered', 'failed')),
        attempts ${integer} not null,
        next_attempt_at_ms ${integer} not null,
        give_up_at_ms ${integer} not null,
        last_attempt_at_ms ${integer},
        response_status ${integer},
        error text,
        ended_at_ms ${integer}
      )${strict}`,
      `create index due_event_deliveries on event_deliveries (endpoint_id, next_attempt_at_ms) where state = 'pending'`,
      'create index event_deliveries_of_endpoint on event_deliveries (endpoint_id, id)',
      'create index ended_event_deliveries on event_deliveries (ended_at_ms) where ended_at_ms is not null',
    ];
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};
