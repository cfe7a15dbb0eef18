/** Tables of events that billing providers send, and of those that are sent to webhook endpoints. */
export const eventTables: readonly string[] = [
  `create table billing_events (
    id text primary key,
    provider text not null,
    event_id text not null,
    type text not null,
    state text not null check (state in ('applied', 'outdated', 'ignored', 'dead_letter')),
    reason text,
    email text,
    customer_id text,
    event_at_ms bigint not null,
    received_at_ms bigint not null,
    payload text,
    unique (provider, event_id)
  )`,
  `create index dead_letters on billing_events (id) where state = 'dead_letter'`,
  `create index dead_letters_of_customers on billing_events (provider, customer_id) where state = 'dead_letter'`,
  'create index billing_events_by_age on billing_events (received_at_ms)',
  `create table billing_customers (
    provider text not null,
    customer_id text not null,
    email text,
    user_id text references users (id) on delete set null,
    primary key (provider, customer_id)
  )`,
  'create index billing_customers_of_user on billing_customers (user_id)',
  `create table webhook_endpoints (
    id text primary key,
    url text not null,
    events text not null,
    encrypted_secret text not null,
    created_at_ms bigint not null,
    disabled_at_ms bigint,
    disabled_reason text
  )`,
  `create table event_deliveries (
    id text primary key,
    endpoint_id text not null references webhook_endpoints (id) on delete cascade,
    event_id text not null,
    type text not null,
    at_ms bigint not null,
    data text not null,
    account_id text,
    email text,
    state text not null check (state in ('pending', 'delivered', 'failed')),
    attempts bigint not null,
    next_attempt_at_ms bigint not null,
    give_up_at_ms bigint not null,
    last_attempt_at_ms bigint,
    response_status bigint,
    error text,
    ended_at_ms bigint
  )`,
  `create index due_event_deliveries on event_deliveries (endpoint_id, next_attempt_at_ms) where state = 'pending'`,
  'create index event_deliveries_of_endpoint on event_deliveries (endpoint_id, id)',
  'create index ended_event_deliveries on event_deliveries (ended_at_ms) where ended_at_ms is not null',
];
