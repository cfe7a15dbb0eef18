/** The backups that the server took on its schedule, and those that failed. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const backups: Migration = {
  name: '0014-backups',
  async apply(transaction, dialect) {
    const [integer, options] = dialect === 'sqlite' ? ['integer', ' strict'] : ['bigint', ''];
    await sql
      .raw(`create table backups (
        id ${integer} primary key,
        started_at_ms ${integer} not null,
        file text not null,
        bytes ${integer},
        sha256 text,
        encryption text check (encryption in ('passphrase', 'recipient')),
        row_count ${integer},
        proven_at_ms ${integer},
        problem text
      )${options}`)
      .execute(transaction);
  },
};
