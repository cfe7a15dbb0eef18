/**
 * Every released schema, as a server of that version left it with an account in use: it migrates with every row,
 * `check` reports beforehand what will happen, and the account still works. A new migration needs a fixture in
 * `releases/`, which `write-release-fixture.ts` writes.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrationNames } from '../../../server/database/migrate.ts';
import type { Admin } from '../../harness/admin.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { findPostgres, query } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { startApp } from '../../harness/start-app.ts';
import { createAdmin } from '../../harness/test-admin.ts';

type Row = Record<string, unknown>;

type Fixture = {
  readonly facts: {
    readonly email: string;
    readonly password: string;
    readonly device_id: string;
    readonly license_key: string;
    readonly activation_id: string;
    readonly api_key: string;
    readonly secrets: object;
  };
  readonly sql: readonly string[];
};

const folder = join(import.meta.dirname, 'releases');

function fixturesOf(dialect: 'sqlite' | 'postgres'): readonly [string, Fixture][] {
  const names = readdirSync(folder).filter((name) => name.endsWith(`.${dialect}.json`));
  return names.map((name) => [name.split('.')[0] ?? '', JSON.parse(readFileSync(join(folder, name), 'utf8'))]);
}

type Ask = (text: string) => Promise<Row[]>;

/** Returns all rows by table name. */
async function readAll(ask: Ask, tables: readonly string[]): Promise<ReadonlyMap<string, Row[]>> {
  const all = new Map<string, Row[]>();
  for (const table of tables) all.set(table, await ask(`select * from "${table}"`));
  return all;
}

/** Expects every row of `before` to be in `after` with the same values. */
function expectKept(before: ReadonlyMap<string, Row[]>, after: ReadonlyMap<string, Row[]>): void {
  for (const [table, rows] of before) {
    for (const row of rows) expect(after.get(table), table).toContainEqual(expect.objectContaining({ ...row }));
  }
}

type Upgrade = {
  readonly upgrade: {
    readonly needed: boolean;
    readonly pending: readonly { readonly name: string; readonly does: string }[];
    readonly side_by_side: boolean;
    readonly advice: readonly string[];
  };
  readonly pending_migrations: readonly string[];
  readonly problems: readonly string[];
};

async function expectMigrates(admin: Admin, ask: Ask, listTables: string): Promise<Upgrade['upgrade']> {
  const tables = (await ask(listTables)).map(({ name }) => String(name));
  const before = await readAll(ask, tables);
  expect(before.get('users')).toHaveLength(1);
  const told = await admin.json<Upgrade>(['check', '--upgrade']);
  expect(told.problems).toEqual([]);
  expect(told.upgrade.pending.map(({ name }) => name)).toEqual(told.pending_migrations);
  for (const { does } of told.upgrade.pending) expect(does).toMatch(/^[A-Z].*\.$/);
  expect(await readAll(ask, tables), 'check changes nothing').toEqual(before);
  await admin.json(['plan', 'list']);
  expectKept(before, await readAll(ask, tables));
  const migrated = await admin.json<Upgrade>(['check', '--upgrade']);
  expect(migrated).toMatchObject({ problems: [], pending_migrations: [], upgrade: { needed: false } });
  return told.upgrade;
}

function writeSecrets(admin: Admin, { facts }: Fixture): void {
  writeFileSync(join(admin.folder, 'secrets.json'), JSON.stringify(facts.secrets), { mode: 0o600 });
}

describe('a SQLite database is migrated and stays usable after', () => {
  it.each(fixturesOf('sqlite'))('%s', async (_, fixture) => {
    const admin = createAdmin();
    writeSecrets(admin, fixture);
    const path = join(admin.folder, 'latchkey.db');
    const connection = new DatabaseSync(path, { enableForeignKeyConstraints: false });
    connection.exec(fixture.sql.join('\n'));
    connection.close();
    await expectMigrates(
      admin,
      async (text) => {
        const reading = new DatabaseSync(path, { readOnly: true });
        const rows = reading.prepare(text).all();
        reading.close();
        return rows;
      },
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'",
    );
    await expectInUse(admin, fixture);
  });
});

/** Expects that the account can sign in and that its keys are valid. */
async function expectInUse(admin: Admin, { facts }: Fixture): Promise<void> {
  const app = await startApp(
    {},
    { dataFolder: admin.folder, clock: createFakeClock(Date.parse('2026-12-01T00:00:00Z')) },
  );
  onTestFinished(app.stop);
  const { email, password, device_id, license_key, api_key, activation_id } = facts;
  const { body } = await app.call('login', { body: { email, password } });
  const token = String(body.access_token);
  const license = await app.call('validateLicense', { token, body: { license_key, device_id } });
  expect(license.body, license.text).toMatchObject({ valid: true });
  const activation = await app.call('activateLicense', { token, body: { license_key, device_id } });
  expect(activation.body, activation.text).toMatchObject({ success: true, activation_id });
  expect((await app.call('validateApiKey', { body: { api_key } })).body).toMatchObject({ valid: true });
}

const programs = findPostgres();

describe.skipIf(programs === undefined)('a PostgreSQL database is migrated after', () => {
  const postgres = sharedPostgres();

  it.each(fixturesOf('postgres'))('%s', async (_, fixture) => {
    const url = await postgres.createDatabase();
    await query(url, fixture.sql.join('\n'));
    const admin = createAdmin({ DATABASE_URL: url });
    writeSecrets(admin, fixture);
    const listTables = "select tablename as name from pg_tables where schemaname = 'public'";
    expect((await expectMigrates(admin, (text) => query(url, text), listTables)).side_by_side).toBe(true);
  });
});

describe.each([
  ['a newer version', '9999-of-the-future', /is of a newer version \(it has "9999-of-the-future"\): .*\.$/],
  ['a version before the first release', '0001-initial-tables', /is of a version before the first release, .*\.$/],
])('a database of %s is refused', (_, migration, sentence) => {
  it.each([
    ['check', ['check', '--upgrade']],
    ['start', ['plan', 'list']],
    ['backup', ['backup', 'copy.tar']],
  ])('by %s', async (_way, words) => {
    const admin = createAdmin();
    await admin.json(['plan', 'list']);
    const connection = new DatabaseSync(join(admin.folder, 'latchkey.db'));
    connection.prepare('insert into migrations values (?, 0)').run(migration);
    connection.close();
    expect((await admin.failure(words)).error).toMatch(sentence);
  });
});

it('each fixture belongs to a migration of this version', () => {
  for (const [name] of [...fixturesOf('sqlite'), ...fixturesOf('postgres')]) expect(migrationNames).toContain(name);
});
