/** Under how many peppers a license key was hashed: a rotation of the pepper adds one. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const pepperVersions: Migration = {
  name: '0017-pepper-versions',
  async apply(transaction, dialect) {
    const integer = dialect === 'sqlite' ? 'integer' : 'bigint';
    await sql.raw(`alter table licenses add column pepper_version ${integer} not null default 1`).execute(transaction);
  },
};
