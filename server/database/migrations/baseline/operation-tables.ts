/** Tables of the server as a whole: installers, the update feed, the audit log, backups and statistics. */
import { withoutRowid } from './statements.ts';

export const operationTables: readonly string[] = [
  `create table installers (
    platform text primary key check (platform in ('windows_x64', 'macos_arm64', 'linux_amd64')),
    version text not null,
    hash text not null,
    updated_at_ms bigint not null
  )`,
  `create table known_installers (
    hash text not null primary key,
    platform text not null,
    version text not null,
    published_at_ms bigint not null
  )`,
  `create table update_versions (
    version text not null primary key,
    percent bigint not null check (percent between 0 and 100),
    manifest text,
    released_at_ms bigint not null,
    published_at_ms bigint not null
  )`,
  `create table update_files (
    version text not null references update_versions (version) on delete cascade,
    name text not null,
    kind text not null,
    bytes bigint not null,
    sha256 text not null,
    sha512 text not null,
    block_map_bytes bigint,
    primary key (version, name)
  )`,
  `create table audit_events (
    id text primary key,
    at_ms bigint not null,
    actor_kind text not null check (actor_kind in ('user', 'staff', 'command', 'provider', 'server', 'anonymous')),
    actor text not null,
    action text not null,
    target_kind text not null,
    target_id text not null,
    target_label text not null,
    address text,
    details text not null,
    seal_id bigint
  )${withoutRowid}`,
  'create index unsealed_audit_events on audit_events (id) where seal_id is null',
  `create table audit_seals (
    id bigint primary key,
    sealed_at_ms bigint not null,
    entries bigint not null,
    digests text not null,
    previous_hash text not null,
    hash text not null
  )`,
  `create table backups (
    id bigint primary key,
    started_at_ms bigint not null,
    file text not null,
    bytes bigint,
    sha256 text,
    encryption text check (encryption in ('passphrase', 'recipient')),
    row_count bigint,
    proven_at_ms bigint,
    problem text
  )`,
  `create table totals (
    name text primary key,
    value bigint not null,
    counted_at_ms bigint not null
  )`,
  `create table daily_counts (
    day text not null,
    name text not null,
    value bigint not null,
    primary key (day, name)
  )`,
];
