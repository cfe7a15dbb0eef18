/** What `check --upgrade` reports for migrations that the current version does not have yet. */
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { dryRunMigrations } from '../../../server/backup/migration-dry-run.ts';
import { openStore } from '../../../server/backup/open-store.ts';
import type { Migration } from '../../../server/database/database.ts';
import { migrationNames, migrations } from '../../../server/database/migrate.ts';
import { openSqlite } from '../../../server/database/sqlite-database.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { findPostgres, query } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { createAdmin, temporaryFolder } from '../../harness/test-admin.ts';

const write = (name: string, ...statements: string[]): Migration => ({
  name,
  apply: async (transaction) => {
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
});
const expansion = write(
  '9998-expansion',
  'alter table licenses add column note text',
  'create index licenses_by_note on licenses (note)',
);
const contraction = write('9999-contraction', 'drop table totals');
const found = {
  migrations: [...migrationNames],
  unknownMigrations: [],
  rows: { licenses: 2_000_000, totals: 3 },
  bytes: 1,
};

it('each pending migration is tried on a copy, and the database is not changed', async () => {
  const path = join(temporaryFolder(), 'latchkey.db');
  await (await openSqlite(path, createFakeClock())).close();
  const store = await openStore({ databaseUrl: undefined, databaseFile: path });
  const report = await dryRunMigrations(store, found, null, [...migrations, expansion, contraction]);
  expect(report).toMatchObject({ needed: true, side_by_side: false });
  expect(report.pending).toMatchObject([
    { name: '9998-expansion', tables: { licenses: 2_000_000 } },
    { name: '9999-contraction', tables: { totals: 3 } },
  ]);
  for (const { does } of report.pending) expect(does).toMatch(/^[A-Z].*\.$/);
  expect(report.advice.join(' ')).toContain('Stop all servers');
  expect(await dryRunMigrations(store, found, null)).toMatchObject({ needed: false, pending: [] });
  // The database does not contain a migration of a newer version, or this would fail.
  await (await openSqlite(path, createFakeClock())).close();
});

describe.skipIf(findPostgres() === undefined)('on PostgreSQL', () => {
  const postgres = sharedPostgres();

  it('servers may run during a migration that only expands the schema, and large indexes are created beforehand', async () => {
    const databaseUrl = await postgres.createDatabase();
    await createAdmin({ DATABASE_URL: databaseUrl }).json(['plan', 'list']);
    const store = await openStore({ databaseUrl, databaseFile: '' });
    const report = await dryRunMigrations(store, found, null, [...migrations, expansion]);
    expect(report).toMatchObject({ needed: true, side_by_side: true });
    expect(report.advice.join(' ')).toMatch(/keep running .* Create the new indexes on licenses by hand first/);
    expect(await query(databaseUrl, 'select name from migrations')).toHaveLength(migrations.length);
    const other = await dryRunMigrations(store, found, null, [...migrations, contraction]);
    expect(other).toMatchObject({ needed: true, side_by_side: false });
  });
});
