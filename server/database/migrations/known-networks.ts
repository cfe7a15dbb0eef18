/** From which networks each account has signed in. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const knownNetworks: Migration = {
  name: '0006-known-networks',
  async apply(transaction, dialect) {
    const [integer, strict] = dialect === 'sqlite' ? ['integer', ' strict'] : ['bigint', ''];
    const statement = `create table known_networks (
      user_id text not null references users (id) on delete cascade,
      network_hash text not null,
      last_used_at_ms ${integer} not null,
      primary key (user_id, network_hash)
    )${strict}`;
    await sql.raw(statement).execute(transaction);
  },
};
