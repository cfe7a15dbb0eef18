/** Tables of events that billing providers send, and of those that are sent to webhook endpoints. */
import { flag } from './statements.ts';

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
    payment_id text,
    event_at_ms bigint not null,
    received_at_ms bigint not null,
    payload text,
    unique (provider, event_id)
  )`,
  `create index dead_letters on billing_events (id) where state = 'dead_letter'`,
  `create index dead_letters_of_customers on billing_events (provider, customer_id) where state = 'dead_letter'`,
  `create index dead_letters_of_payments on billing_events (provider, payment_id) where state = 'dead_letter'`,
  'create index billing_events_by_age on billing_events (received_at_ms)',
  `create table billing_customers (
    provider text not null,
    customer_id text not null,
    email text,
    user_id text references users (id) on delete set null,
    primary key (provider, customer_id)
  )`,
  'create index billing_customers_of_user on billing_customers (user_id)',
  `create table billing_payments (
    provider text not null,
    id text not null,
    belongs_to text,
    reference text,
    customer_id text,
    received_at_ms bigint not null,
    primary key (provider, id)
  )`,
  'create index billing_payments_by_owner on billing_payments (provider, belongs_to)',
  'create index billing_payments_of_subscription on billing_payments (provider, reference)',
  'create index billing_payments_by_age on billing_payments (received_at_ms)',
  `create table provider_subscriptions (
    provider text not null,
    reference text not null,
    customer_id text,
    order_id text,
    status text,
    period_start_ms bigint,
    refunded_at_ms bigint,
    paid_at_ms bigint,
    license_id text references licenses (id) on delete set null,
    ${flag('is_license_suspended')},
    primary key (provider, reference)
  )`,
  'create index provider_subscriptions_of_customer on provider_subscriptions (provider, customer_id)',
  'create index provider_subscriptions_of_order on provider_subscriptions (provider, order_id)',
  'create index provider_subscriptions_of_license on provider_subscriptions (license_id)',
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
  `create table reminders (
    kind text not null check (kind in ('license', 'subscription')),
    subject_id text not null,
    ends_at_ms bigint not null,
    lead_ms bigint not null,
    at_ms bigint not null,
    primary key (kind, subject_id, ends_at_ms, lead_ms)
  )`,
  'create index reminders_by_end on reminders (ends_at_ms)',
];
