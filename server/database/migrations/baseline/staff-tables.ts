/** Tables of the admin page: who is staff, and how they sign in. */
export const staffTables: readonly string[] = [
  `create table staff (
    user_id text primary key references users (id) on delete cascade,
    role text not null check (role in ('owner', 'support', 'viewer')),
    created_at_ms bigint not null
  )`,
  `create table staff_links (
    token_hash text primary key,
    user_id text references staff (user_id) on delete cascade,
    created_by text references staff (user_id) on delete cascade,
    created_at_ms bigint not null,
    expires_at_ms bigint not null
  )`,
  'create index staff_links_of_user on staff_links (user_id)',
  'create index staff_links_of_maker on staff_links (created_by)',
  `create table staff_sessions (
    id text primary key,
    token_hash text not null unique,
    user_id text not null references staff (user_id) on delete cascade,
    created_at_ms bigint not null,
    last_used_at_ms bigint not null,
    expires_at_ms bigint not null,
    confirmed_at_ms bigint not null,
    address text not null,
    user_agent text not null
  )`,
  'create index staff_sessions_of_user on staff_sessions (user_id)',
  `create table passkeys (
    credential_id text primary key,
    user_id text not null references staff (user_id) on delete cascade,
    public_key text not null,
    counter bigint not null,
    transports text not null,
    name text not null,
    created_at_ms bigint not null,
    last_used_at_ms bigint,
    origin text not null
  )`,
  'create index passkeys_of_user on passkeys (user_id)',
  `create table used_challenges (
    challenge_hash text primary key,
    expires_at_ms bigint not null
  )`,
];
