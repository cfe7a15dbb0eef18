/** Tables of accounts: users, their sessions and networks, and mails to them. */
import { binary, flag, onlyPostgres } from './statements.ts';

export const accountTables: readonly string[] = [
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
    created_at_ms bigint not null,
    password_changed_at_ms bigint not null,
    email_confirmed_at_ms bigint,
    password_set_by text
  )`,
  `${onlyPostgres}create index users_by_email on users (email_key${binary})`,
  `create table sessions (
    id text primary key,
    user_id text not null references users (id) on delete cascade,
    created_at_ms bigint not null,
    expires_at_ms bigint not null,
    revoked_at_ms bigint,
    user_agent text
  )`,
  'create index sessions_of_user on sessions (user_id)',
  'create index open_sessions_of_user on sessions (user_id) where revoked_at_ms is null',
  'create index sessions_by_age on sessions (expires_at_ms)',
  `create table browser_sessions (
    session_id text primary key references sessions (id) on delete cascade,
    token_hash text not null unique,
    last_used_at_ms bigint not null
  )`,
  `create table refresh_tokens (
    token_hash text primary key,
    session_id text not null references sessions (id) on delete cascade,
    created_at_ms bigint not null,
    expires_at_ms bigint not null,
    used_at_ms bigint,
    successor_hash text,
    idempotency_key_hash text,
    encrypted_successor text
  )`,
  'create index refresh_tokens_by_expiry on refresh_tokens (session_id, expires_at_ms)',
  'create index refresh_tokens_by_successor on refresh_tokens (successor_hash) where encrypted_successor is not null',
  'create index refresh_tokens_by_age on refresh_tokens (expires_at_ms)',
  `create table signing_keys (
    kid text primary key,
    purpose text not null check (purpose in ('access_token', 'lease')),
    algorithm text not null,
    encrypted_key text not null,
    created_at_ms bigint not null,
    retired_at_ms bigint,
    longest_life_ms bigint not null,
    ${flag('is_prepared')}
  )`,
  `create table known_networks (
    user_id text not null references users (id) on delete cascade,
    network_hash text not null,
    last_used_at_ms bigint not null,
    primary key (user_id, network_hash)
  )`,
  `create table mail_tokens (
    token_hash text primary key,
    user_id text not null references users (id) on delete cascade,
    purpose text not null check (purpose in ('reset_password', 'set_password', 'confirm_email', 'change_email')),
    email text not null,
    created_by text references users (id) on delete cascade,
    created_at_ms bigint not null,
    expires_at_ms bigint not null
  )`,
  'create index mail_tokens_of_user on mail_tokens (user_id, purpose)',
  'create index mail_tokens_of_creator on mail_tokens (created_by) where created_by is not null',
  'create index mail_tokens_by_expiry on mail_tokens (expires_at_ms)',
  `create table mails (
    id text primary key,
    kind text not null,
    encrypted_mail text not null,
    dedupe_key text unique,
    created_at_ms bigint not null,
    next_try_at_ms bigint not null,
    give_up_at_ms bigint not null,
    tries bigint not null
  )`,
  'create index mails_by_next_try on mails (next_try_at_ms)',
  'create index mails_by_kind on mails (kind)',
  `create table mail_allowances (
    bucket_hash text primary key,
    used_until_ms bigint not null
  )`,
  'create index mail_allowances_by_time on mail_allowances (used_until_ms)',
];
