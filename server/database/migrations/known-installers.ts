/** Every installer that was published and not withdrawn, so that an older file is known to be genuine. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const knownInstallers: Migration = {
  name: '0022-known-installers',
  async apply(transaction, dialect) {
    const integer = dialect === 'sqlite' ? 'integer' : 'bigint';
    const strict = dialect === 'sqlite' ? ' strict' : '';
    const statements = [
      `create table known_installers (
        hash text not null primary key,
        platform text not null,
        version text not null,
        published_at_ms ${integer} not null
      )${strict}`,
      `insert into known_installers (hash, platform, version, published_at_ms)
        select hash, min(platform), min(version), min(updated_at_ms) from installers group by hash`,
    ];
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};
