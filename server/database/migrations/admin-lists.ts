/** What the lists and the overview of the admin page need with a million accounts: indexes, and numbers counted in advance. */
import { sql } from 'kysely';
import type { Dialect, Migration } from '../database.ts';

export const adminLists: Migration = {
  name: '0016-admin-lists',
  async apply(transaction, dialect) {
    for (const statement of [...indexes(dialect), ...tables(dialect)]) await sql.raw(statement).execute(transaction);
  },
};

/** On a large PostgreSQL they are created by hand before the upgrade, see server/docs/upgrade.md. */
function indexes(dialect: Dialect): string[] {
  // Searches compare bytes, as SQLite does by itself.
  const binary = dialect === 'sqlite' ? '' : ' collate "C"';
  const both = [
    // With all columns that the filters of a list use, so that the rows themselves need not be read.
    'create index if not exists subscriptions_by_status on subscriptions (status, user_id, current_period_end_ms, plan)',
    'create index if not exists subscriptions_by_plan on subscriptions (plan, user_id, status, current_period_end_ms)',
    'create index if not exists licenses_by_status on licenses (status, id, expires_at_ms, plan)',
    'create index if not exists licenses_by_plan on licenses (plan, id, status, expires_at_ms)',
    `create index if not exists licenses_that_end on licenses (id, status, expires_at_ms, plan)
      where (expires_at_ms is not null or status = 'expired')`,
    `create index if not exists licenses_by_preview on licenses (key_preview${binary}, id)`,
    'create index if not exists licenses_with_end on licenses (expires_at_ms) where expires_at_ms is not null',
    `create index if not exists devices_by_name on activations ((lower(device_name))${binary}, id) where released_at_ms is null`,
    `create index if not exists api_keys_by_prefix on api_keys (key_prefix${binary}, id)`,
    'create index if not exists revoked_api_keys_by_id on api_keys (id) where revoked_at_ms is not null',
    'create index if not exists legacy_api_keys_by_id on api_keys (is_legacy, id) where is_legacy = 1',
  ];
  if (dialect === 'sqlite')
    return both.map((statement) => statement.replace('((lower(device_name))', '(lower(device_name)'));
  return [
    ...both,
    'create index if not exists users_by_email on users (email_key collate "C")',
    'create index if not exists devices_by_id on activations (device_id collate "C", id) where released_at_ms is null',
  ];
}

function tables(dialect: Dialect): string[] {
  const [integer, strict] = dialect === 'sqlite' ? ['integer', ' strict'] : ['bigint', ''];
  return [
    `create table totals (
      name text primary key,
      value ${integer} not null,
      counted_at_ms ${integer} not null
    )${strict}`,
    `create table daily_counts (
      day text not null,
      name text not null,
      value ${integer} not null,
      primary key (day, name)
    )${strict}`,
  ];
}
