/** When an API key was reported as leaked, which is also when it was revoked. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const reports: Migration = {
  name: '0015-reports',
  async apply(transaction, dialect) {
    const integer = sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint');
    await sql`alter table api_keys add column reported_at_ms ${integer}`.execute(transaction);
  },
};
