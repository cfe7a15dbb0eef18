/** Responses of `POST /metrics/api-key` that a client may request again with the same Idempotency-Key. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const apiKeyResponses: Migration = {
  name: '0004-api-key-responses',
  async apply(transaction, dialect) {
    const bigint = sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint');
    const strict = sql.raw(dialect === 'sqlite' ? 'strict' : '');
    await sql`create table api_key_responses (
      user_id text not null references users (id) on delete cascade,
      retry_key_hash text not null,
      regenerate ${bigint} not null check (regenerate in (0, 1)),
      sealed_response text not null,
      expires_at_ms ${bigint} not null,
      primary key (user_id, retry_key_hash)
    ) ${strict}`.execute(transaction);
    await sql`create index api_key_responses_by_expiry on api_key_responses (expires_at_ms)`.execute(transaction);
  },
};
