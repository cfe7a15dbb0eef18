/** Who may use the admin page: staff, their one-time links, sessions and passkeys. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const staff: Migration = {
  name: '0009-staff',
  async apply(transaction, dialect) {
    const [integer, strict] = dialect === 'sqlite' ? ['integer', ' strict'] : ['bigint', ''];
    const role = "text not null check (role in ('owner', 'support', 'viewer'))";
    const statements = [
      `create table staff (
        user_id text primary key references users (id) on delete cascade,
        role ${role},
        created_at_ms ${integer} not null
      )${strict}`,
      // A null user stands for the first administrator, who has no account yet.
      `create table staff_links (
        token_hash text primary key,
        user_id text references staff (user_id) on delete cascade,
        created_at_ms ${integer} not null,
        expires_at_ms ${integer} not null
      )${strict}`,
      'create index staff_links_of_user on staff_links (user_id)',
      `create table staff_sessions (
        id text primary key,
        token_hash text not null unique,
        user_id text not null references staff (user_id) on delete cascade,
        created_at_ms ${integer} not null,
        last_used_at_ms ${integer} not null,
        expires_at_ms ${integer} not null,
        confirmed_at_ms ${integer} not null,
        address text not null,
        user_agent text not null
      )${strict}`,
      'create index staff_sessions_of_user on staff_sessions (user_id)',
      `create table passkeys (
        credential_id text primary key,
        user_id text not null references staff (user_id) on delete cascade,
        public_key text not null,
        counter ${integer} not null,
        transports text not null,
        name text not null,
        created_at_ms ${integer} not null,
        last_used_at_ms ${integer}
      )${strict}`,
      'create index passkeys_of_user on passkeys (user_id)',
      `create table used_passkey_challenges (
        challenge_hash text primary key,
        expires_at_ms ${integer} not null
      )${strict}`,
    ];
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};
