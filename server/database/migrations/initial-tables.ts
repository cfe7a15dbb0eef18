/** The tables of the first release. `tables.ts` says which of today's words its older names stand for. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const initialTables: Migration = {
  name: '0001-initial-tables',
  async apply(transaction, dialect) {
    for (const statement of statements) {
      await sql.raw(dialect === 'sqlite' ? forSqlite(statement) : statement).execute(transaction);
    }
  },
};

/** STRICT tables have no type bigint; their integers have 64 bits anyway. */
function forSqlite(statement: string): string {
  const typed = statement.replaceAll(' bigint', ' integer');
  return typed.startsWith('create table') ? `${typed} strict` : typed;
}

const flag = (name: string) => `${name} bigint not null check (${name} in (0, 1))`;

const statements = [
  `create table meta (
    name text primary key,
    value text not null
  )`,
  `create table users (
    id text primary key,
    email text not null,
    email_key text not null unique,
    full_name text not null,
    password_hash text not null,
    ${flag('is_staff')},
    created_at_ms bigint not null,
    password_changed_at_ms bigint not null
  )`,
  `create table refresh_families (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    created_at_ms bigint not null,
    expires_at_ms bigint not null,
    revoked_at_ms bigint
  )`,
  'create index refresh_families_of_user on refresh_families (user_id)',
  `create table refresh_tokens (
    token_hash text primary key,
    family_id text not null references refresh_families (id) on delete cascade,
    created_at_ms bigint not null,
    expires_at_ms bigint not null,
    used_at_ms bigint,
    child_hash text,
    retry_key_hash text,
    sealed_child text
  )`,
  'create index refresh_tokens_of_family on refresh_tokens (family_id)',
  `create table signing_keys (
    kid text primary key,
    purpose text not null check (purpose in ('access_token', 'lease')),
    algorithm text not null,
    sealed_key text not null,
    created_at_ms bigint not null,
    retired_at_ms bigint
  )`,
  `create table plans (
    id text primary key,
    name text not null unique,
    ${flag('real_time_visualization')},
    ${flag('osc_lsl_streaming')},
    ${flag('session_recording')},
    ${flag('csv_export')},
    ${flag('api_access')},
    ${flag('signal_filtering')},
    ${flag('custom_preprocessing')},
    ${flag('mental_state_detection')},
    max_devices bigint not null check (max_devices >= 0),
    created_at_ms bigint not null,
    updated_at_ms bigint not null
  )`,
  `create table subscriptions (
    id text primary key,
    user_id text not null unique references users (id) on delete cascade,
    plan text not null references plans (name),
    status text not null check (status in ('trialing', 'active', 'past_due', 'canceled', 'expired')),
    current_period_start_ms bigint not null,
    current_period_end_ms bigint not null,
    ${flag('cancel_at_period_end')},
    created_at_ms bigint not null,
    updated_at_ms bigint not null
  )`,
  `create table licenses (
    id text primary key,
    key_hash text not null unique,
    key_preview text not null,
    user_id text references users (id) on delete cascade,
    plan text not null references plans (name),
    status text not null check (status in ('active', 'inactive', 'revoked', 'expired')),
    max_activations bigint not null check (max_activations >= 0),
    expires_at_ms bigint,
    ${flag('with_subscription')},
    created_at_ms bigint not null,
    updated_at_ms bigint not null
  )`,
  'create index licenses_of_user on licenses (user_id)',
  `create table activations (
    id text primary key,
    license_id text not null references licenses (id) on delete cascade,
    device_id text not null,
    device_name text not null,
    platform text not null,
    activated_at_ms bigint not null,
    last_seen_at_ms bigint not null,
    released_at_ms bigint
  )`,
  'create unique index held_activations on activations (license_id, device_id) where released_at_ms is null',
  'create index activations_of_device on activations (device_id)',
  `create table api_keys (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    key_hash text not null,
    key_prefix text not null,
    ${flag('is_legacy')},
    legacy_expires_at_ms bigint,
    created_at_ms bigint not null,
    revoked_at_ms bigint
  )`,
  'create unique index current_api_keys on api_keys (key_hash) where revoked_at_ms is null',
  'create unique index current_api_key_of_user on api_keys (user_id) where revoked_at_ms is null',
  'create index api_keys_of_user on api_keys (user_id)',
  'create index legacy_api_keys on api_keys (is_legacy) where is_legacy = 1',
  `create table device_sightings (
    device_id text not null,
    user_id text not null references users (id) on delete cascade,
    network text not null,
    first_seen_at_ms bigint not null,
    last_seen_at_ms bigint not null,
    heartbeats bigint not null,
    primary key (device_id, user_id, network)
  )`,
  'create index sightings_of_user on device_sightings (user_id, last_seen_at_ms)',
  `create table installers (
    platform text primary key check (platform in ('windows_x64', 'macos_arm64', 'linux_amd64')),
    version text not null,
    hash text not null,
    updated_at_ms bigint not null
  )`,
];
