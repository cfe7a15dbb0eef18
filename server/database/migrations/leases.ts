/** How long the leases of a plan last, and how long a signing key is needed after it was replaced. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const leases: Migration = {
  name: '0011-leases',
  async apply(transaction, dialect) {
    const integer = dialect === 'sqlite' ? 'integer' : 'bigint';
    const statements = [
      `alter table plans add column lease_days ${integer} check (lease_days > 0)`,
      `alter table signing_keys add column longest_life_ms ${integer} not null default 0`,
    ];
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};
