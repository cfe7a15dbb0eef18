/** Indexes for sessions with many refresh tokens: a query finds single tokens and never reads all of a family. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const refreshTokenIndexes: Migration = {
  name: '0003-refresh-token-indexes',
  async apply(transaction) {
    await sql`create index refresh_tokens_by_expiry on refresh_tokens (family_id, expires_at_ms)`.execute(transaction);
    await sql`drop index refresh_tokens_of_family`.execute(transaction);
    await sql`create index sealed_children on refresh_tokens (child_hash) where sealed_child is not null`.execute(
      transaction,
    );
  },
};
