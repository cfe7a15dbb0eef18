/** How many new devices a plan allows in a month, and the indexes that find old rows and the devices of a license. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const deviceAllowance: Migration = {
  name: '0005-device-allowance',
  async apply(transaction, dialect) {
    const integer = dialect === 'sqlite' ? 'integer' : 'bigint';
    const statements = [
      `alter table plans add column new_devices_per_month ${integer} not null default 10 check (new_devices_per_month >= 0)`,
      'create index activations_of_license on activations (license_id, released_at_ms)',
      'create index released_activations on activations (released_at_ms) where released_at_ms is not null',
      'create index revoked_api_keys on api_keys (revoked_at_ms) where revoked_at_ms is not null',
      'create index refresh_tokens_by_age on refresh_tokens (expires_at_ms)',
      'create index refresh_families_by_age on refresh_families (expires_at_ms)',
      'create index sightings_by_age on device_sightings (last_seen_at_ms)',
    ];
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};
