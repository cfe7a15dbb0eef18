/** Until when a device may work offline by the latest lease that it was given: so long it keeps its place on the license. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const leasePlaces: Migration = {
  name: '0019-lease-places',
  async apply(transaction, dialect) {
    const integer = dialect === 'sqlite' ? 'integer' : 'bigint';
    await sql.raw(`alter table activations add column lease_expires_at_ms ${integer}`).execute(transaction);
  },
};
