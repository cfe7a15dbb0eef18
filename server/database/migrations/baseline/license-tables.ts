/** Tables of what accounts have: plans, subscriptions, licenses, devices and API keys. */
import { binary, flag, onlyPostgres, withoutRowid } from './statements.ts';

export const licenseTables: readonly string[] = [
  `create table plans (
    id text primary key,
    name text not null unique,
    max_devices bigint not null check (max_devices >= 0),
    created_at_ms bigint not null,
    updated_at_ms bigint not null,
    new_devices_per_month bigint not null check (new_devices_per_month >= 0),
    lease_days bigint check (lease_days > 0)
  )`,
  `create table features (
    name text primary key,
    position bigint not null unique,
    title text not null,
    does text not null,
    ${flag('hidden')},
    ${flag('built_in')},
    created_at_ms bigint not null,
    updated_at_ms bigint not null
  )`,
  `create table plan_features (
    plan text not null references plans (name),
    feature text not null references features (name),
    primary key (plan, feature)
  )${withoutRowid}`,
  `create table subscriptions (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    source text not null check (source in ('account', 'stripe', 'lemonsqueezy')),
    reference text not null,
    event_at_ms bigint,
    ${flag('is_replaced')},
    plan text not null references plans (name),
    status text not null check (status in ('trialing', 'active', 'past_due', 'canceled', 'expired')),
    current_period_start_ms bigint not null,
    current_period_end_ms bigint not null,
    ${flag('cancel_at_period_end')},
    created_at_ms bigint not null,
    updated_at_ms bigint not null,
    ${flag('by_typed_email')},
    noticed_lead_ms bigint,
    unique (source, reference)
  )`,
  'create index subscriptions_of_user on subscriptions (user_id)',
  // Includes all columns that list filters use, so that the rows themselves need not be read.
  'create index subscriptions_by_status on subscriptions (status, user_id, current_period_end_ms, plan)',
  'create index subscriptions_by_plan on subscriptions (plan, user_id, status, current_period_end_ms)',
  `create table licenses (
    id text primary key,
    key_hash text not null unique,
    key_preview text not null,
    user_id text references users (id) on delete cascade,
    plan text not null references plans (name),
    status text not null check (status in ('active', 'inactive', 'revoked', 'expired')),
    max_activations bigint not null check (max_activations >= 0),
    expires_at_ms bigint,
    updates_until_ms bigint,
    ${flag('with_subscription')},
    created_at_ms bigint not null,
    updated_at_ms bigint not null,
    noticed_lead_ms bigint
  )`,
  'create index licenses_of_user on licenses (user_id)',
  'create index licenses_by_status on licenses (status, id, expires_at_ms, plan)',
  'create index licenses_by_plan on licenses (plan, id, status, expires_at_ms)',
  `create index licenses_that_end on licenses (id, status, expires_at_ms, plan) where (expires_at_ms is not null or status = 'expired')`,
  `create index licenses_by_preview on licenses (key_preview${binary}, id)`,
  'create index licenses_with_end on licenses (expires_at_ms) where expires_at_ms is not null',
  // Ordered by the last notice given, so that rows with nothing due are not read.
  `create index licenses_by_notice on licenses (noticed_lead_ms, expires_at_ms) where expires_at_ms is not null and status not in ('revoked', 'expired')`,
  `create index subscriptions_by_notice on subscriptions (noticed_lead_ms, current_period_end_ms)
    where is_replaced = 0 and status not in ('canceled', 'expired')
    and (cancel_at_period_end = 1 or (status = 'trialing' and source = 'account'))`,
  `create table activations (
    id text primary key,
    license_id text not null references licenses (id) on delete cascade,
    device_id text not null,
    device_name text not null,
    platform text not null,
    activated_at_ms bigint not null,
    last_seen_at_ms bigint not null,
    released_at_ms bigint,
    lease_expires_at_ms bigint,
    several_installations_at_ms bigint
  )`,
  'create unique index active_activations on activations (license_id, device_id) where released_at_ms is null',
  'create index activations_of_device on activations (device_id)',
  'create index activations_of_license on activations (license_id, released_at_ms)',
  'create index released_activations on activations (released_at_ms) where released_at_ms is not null',
  `create index devices_by_name on activations (lower(device_name)${binary}, id) where released_at_ms is null`,
  `${onlyPostgres}create index devices_by_id on activations (device_id${binary}, id) where released_at_ms is null`,
  `create table api_keys (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    key_hash text not null,
    key_prefix text not null,
    ${flag('is_legacy')},
    legacy_expires_at_ms bigint,
    created_at_ms bigint not null,
    revoked_at_ms bigint,
    reported_at_ms bigint
  )`,
  'create unique index current_api_keys on api_keys (key_hash) where revoked_at_ms is null',
  'create unique index current_api_key_of_user on api_keys (user_id) where revoked_at_ms is null',
  'create index api_keys_of_user on api_keys (user_id)',
  'create index legacy_api_keys on api_keys (is_legacy) where is_legacy = 1',
  'create index revoked_api_keys on api_keys (revoked_at_ms) where revoked_at_ms is not null',
  `create index api_keys_by_prefix on api_keys (key_prefix${binary}, id)`,
  'create index revoked_api_keys_by_id on api_keys (id) where revoked_at_ms is not null',
  'create index legacy_api_keys_by_id on api_keys (is_legacy, id) where is_legacy = 1',
  `create table idempotent_responses (
    user_id text not null references users (id) on delete cascade,
    idempotency_key_hash text not null,
    encrypted_response text not null,
    expires_at_ms bigint not null,
    primary key (user_id, idempotency_key_hash)
  )`,
  'create index idempotent_responses_by_expiry on idempotent_responses (expires_at_ms)',
  `create table device_activity (
    device_id text not null,
    user_id text not null references users (id) on delete cascade,
    network text not null,
    instance text not null,
    first_seen_at_ms bigint not null,
    last_seen_at_ms bigint not null,
    heartbeats bigint not null,
    returns bigint not null,
    primary key (device_id, user_id, network, instance)
  )`,
  'create index device_activity_of_user on device_activity (user_id, last_seen_at_ms)',
  'create index device_activity_by_age on device_activity (last_seen_at_ms)',
];
