/**
 * Writes the database that the current server leaves into `releases/`, for SQLite and PostgreSQL:
 *
 *     node tests/server/database/write-release-fixture.ts 0002-name-of-the-newest-migration
 *
 * Run it in the commit that adds a migration. An existing fixture is never overwritten.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrationNames } from '../../../server/database/migrate.ts';
import { Admin } from '../../harness/admin.ts';
import { limitsOff, type Settings } from '../../harness/environment.ts';
import { findPostgres, startPostgres } from '../../harness/postgres.ts';
import { startServer } from '../../harness/start-server.ts';
import { makeTemporaryFolder, removeFolder } from '../../harness/temporary-folder.ts';
import { httpTransport, TestClient } from '../../harness/test-client.ts';
import { goodPassword, newDeviceId } from '../../harness/users.ts';

const name = process.argv[2] ?? '';
if (!migrationNames.includes(name)) throw new Error(`there is no migration "${name}"`);

await writeFixture('sqlite', {}, (folder) => dumpSqlite(join(folder, 'latchkey.db')));
const programs = findPostgres(['postgres', 'initdb', 'pg_dump']);
if (programs !== undefined) {
  const postgres = await startPostgres(programs);
  const url = await postgres.createDatabase();
  await writeFixture('postgres', { DATABASE_URL: url }, () => dumpPostgres(programs, url));
  await postgres.stop();
}

async function writeFixture(dialect: string, settings: Settings, dump: (folder: string) => string[]): Promise<void> {
  const file = join(import.meta.dirname, 'releases', `${name}.${dialect}.json`);
  if (existsSync(file)) throw new Error(`${file} exists already`);
  const folder = makeTemporaryFolder();
  const facts = await leaveAnAccount(new Admin(folder, settings));
  const secrets = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'));
  writeFileSync(file, `${JSON.stringify({ facts: { ...facts, secrets }, sql: dump(folder) }, null, 2)}\n`);
  removeFolder(folder);
}

/** Starts a server and leaves an account with one of everything. */
async function leaveAnAccount(admin: Admin): Promise<object> {
  const server = await startServer({ ...limitsOff, ...admin.settings });
  const { call } = new TestClient(httpTransport(server.url));
  const [email, password, device_id] = ['ada@example.com', goodPassword, newDeviceId()];
  const { body } = await call('signup', { body: { email, password, full_name: 'Ada Lovelace' } });
  const token = String(body.access_token);
  await admin.json(['subscription', 'set', email, '--plan', 'standard', '--period-end', '2099-01-01T00:00:00Z']);
  const { license_key } = await admin.json<{ license_key: string }>(['license', 'issue', '--email', email]);
  const device = { license_key, device_id, device_name: 'Bench', platform: 'linux' };
  const { activation_id } = (await call('activateLicense', { token, body: device })).body;
  await call('heartbeat', { token, body: { device_id } });
  const { api_key } = (await call('apiKey', { token })).body;
  await server.stop();
  return { email, password, device_id, license_key, activation_id, api_key };
}

/** Dumps the tables, their rows, and then the indexes. */
function dumpSqlite(path: string): string[] {
  const connection = new DatabaseSync(path, { readOnly: true });
  const all = (sql: string) => connection.prepare(sql).all();
  const objects = all("select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite_%'");
  const creations = (isTable: boolean) =>
    objects.filter(({ type }) => (type === 'table') === isTable).flatMap(({ sql }) => `${sql};`.split('\n'));
  const rows = objects
    .filter(({ type }) => type === 'table')
    .flatMap(({ name: table }) => all(`select * from "${table}"`).map((row) => insertOf(String(table), row)));
  const id = Number(all('pragma application_id')[0]?.application_id);
  connection.close();
  return [
    `PRAGMA application_id=${id};`,
    'BEGIN TRANSACTION;',
    ...creations(true),
    ...rows,
    ...creations(false),
    'COMMIT;',
  ];
}

function insertOf(table: string, row: Record<string, unknown>): string {
  const literal = (value: unknown) =>
    value === null ? 'NULL' : typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
  return `INSERT INTO "${table}" VALUES(${Object.values(row).map(literal).join(',')});`;
}

/** Dumps the database without what only psql understands. */
function dumpPostgres(programs: string, url: string): string[] {
  const dump = execFileSync(join(programs, 'pg_dump'), ['--inserts', '--no-owner', '--no-comments', url], {
    encoding: 'utf8',
  });
  return dump.split('\n').filter((line) => line !== '' && !/^(?:--|SET |\\)|set_config/.test(line));
}
