/** Which client a session belongs to, and mail: what is to be sent, and the tokens in the links that were. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const mailTokens: Migration = {
  name: '0010-mail-tokens',
  async apply(transaction, dialect) {
    const [integer, strict] = dialect === 'sqlite' ? ['integer', ' strict'] : ['bigint', ''];
    const statements = [
      'alter table refresh_families add column user_agent text',
      `alter table users add column email_confirmed_at_ms ${integer}`,
      `create table mail_tokens (
        token_hash text primary key,
        user_id text not null references users (id) on delete cascade,
        purpose text not null check (purpose in ('reset_password', 'confirm_email', 'change_email')),
        email text not null,
        created_at_ms ${integer} not null,
        expires_at_ms ${integer} not null
      )${strict}`,
      'create index mail_tokens_of_user on mail_tokens (user_id, purpose)',
      'create index mail_tokens_by_expiry on mail_tokens (expires_at_ms)',
      `create table mails (
        id text primary key,
        sealed_mail text not null,
        dedupe_key text unique,
        created_at_ms ${integer} not null,
        next_try_at_ms ${integer} not null,
        give_up_at_ms ${integer} not null,
        tries ${integer} not null
      )${strict}`,
      'create index mails_by_next_try on mails (next_try_at_ms)',
    ];
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};
