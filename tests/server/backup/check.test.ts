/** `check`: sound data passes, and each kind of damage has its own message. */
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Settings } from '../../harness/environment.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { createAdmin, temporaryFolder } from '../../harness/test-admin.ts';

describe('check', () => {
  it('reports the size of a SQLite database including its write-ahead log', async () => {
    const admin = createAdmin();
    await admin.json(['plan', 'list']);
    const file = join(admin.folder, 'latchkey.db');
    const connection = new DatabaseSync(file);
    onTestFinished(() => connection.close());
    connection.exec('pragma wal_autocheckpoint = 0; create table large (text); pragma synchronous = off');
    connection.exec('insert into large values (hex(zeroblob(500000))); drop table large');
    const [main, log] = [statSync(file).size, statSync(`${file}-wal`).size];
    expect(log).toBeGreaterThan(1_000_000);
    expect(await admin.json(['check'])).toMatchObject({ bytes: main + log, write_ahead_log_bytes: log });
  });

  it('reports what the database contains, while the server runs', async () => {
    const admin = createAdmin();
    await startHttpServer(admin);
    await admin.createUser('ada@example.com');
    await admin.json(['license', 'issue']);
    expect(await admin.json(['check'])).toMatchObject({
      ok: true,
      database: 'sqlite',
      database_file: join(admin.folder, 'latchkey.db'),
      secrets_file: join(admin.folder, 'secrets.json'),
      secrets: 'match',
      migrations: expect.arrayContaining(['0001-first-release']),
      pending_migrations: [],
      rows: { users: 1, licenses: 1, plans: 3 },
      problems: [],
    });
  });

  it('creates no database if there is none', async () => {
    const admin = createAdmin();
    expect(await admin.failure(['check'])).toMatchObject({ code: 'NOT_FOUND' });
    expect(readdirSync(admin.folder)).toEqual([]);
  });
});

describe('check finds', () => {
  const damaged = async (damage: (folder: string) => void) => {
    const admin = createAdmin();
    const { license } = await admin.json<{ license: { id: string } }>(['license', 'issue', '--max-activations', '1']);
    changeDatabase(admin.folder, `update licenses set id = 'the-license' where id = '${license.id}'`);
    damage(admin.folder);
    const { code, stdout, stderr } = await admin.run(['check', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'CHECK_FAILED' });
    const report = JSON.parse(stdout);
    expect(report.ok).toBe(false);
    return { secrets: report.secrets, problems: report.problems.join('\n') };
  };
  const otherFile = (folder: string) => writeFileSync(join(folder, 'latchkey.db'), 'x'.repeat(10_000));
  it.each<[string, string, (folder: string) => void]>([
    ['missing secrets', 'is missing', (folder) => rmSync(join(folder, 'secrets.json'))],
    ['damaged secrets', 'cannot be read', (folder) => writeFileSync(join(folder, 'secrets.json'), '{}')],
    ['secrets of another database', 'belongs to another database', otherSecrets],
    ['a newer version', '9999-of-the-future', (folder) => changeDatabase(folder, newerMigration)],
    ['rows that refer to missing rows', 'sessions → users', (folder) => changeDatabase(folder, orphan)],
    ['mixed installers', 'not all of one version', (folder) => changeDatabase(folder, mixedInstallers)],
    ['a corrupt file', '', corrupt],
    ['another file', 'is not', otherFile],
  ])('%s', async (_name, sentence, damage) => {
    expect((await damaged(damage)).problems).toContain(sentence);
  });

  it.each([
    ['a corrupt file', corrupt],
    ['another file', otherFile],
  ])('%s, and does not say that the secrets match it, which it cannot compare', async (_name, damage) => {
    const found = await damaged((folder) => {
      otherSecrets(folder);
      damage(folder);
    });
    expect(found.secrets).toBe('unknown');
  });
});

describe('check finds a file in the settings that keeps the server from starting or working as configured:', () => {
  const problemsWith = async (settings: Settings) => {
    const admin = createAdmin(settings);
    await admin.json(['plan', 'list']);
    const { code, stdout } = await admin.runHere(['check', '--json']);
    expect(code).toBe(1);
    return JSON.parse(stdout).problems;
  };

  it.each<[string, (file: string) => Settings, string]>([
    ['a passphrase', (file) => ({ LATCHKEY_BACKUP_PASSPHRASE_FILE: file }), 'LATCHKEY_BACKUP_PASSPHRASE_FILE'],
    ['a certificate', (file) => ({ LATCHKEY_TLS_CERT: file, LATCHKEY_TLS_KEY: file }), 'LATCHKEY_TLS_CERT'],
    ['a file of keys of GitHub', (file) => ({ LATCHKEY_GITHUB_SCANNING_KEYS: file }), 'LATCHKEY_GITHUB_SCANNING_KEYS'],
  ])('%s that is missing', async (_name, settings, setting) => {
    const file = join(temporaryFolder(), 'missing');
    expect(await problemsWith(settings(file))).toEqual([`${setting} is wrong: there is no file ${file}`]);
  });

  it('an invalid recipient', async () => {
    expect(await problemsWith({ LATCHKEY_BACKUP_RECIPIENT: 'age1qqqqqqqqqqqqqqqqqq' })).toEqual([
      'LATCHKEY_BACKUP_RECIPIENT is wrong: it is not the public key of an age recipient',
    ]);
  });

  it.skipIf(process.platform === 'win32')('secrets that other users can read', async () => {
    const admin = createAdmin();
    await admin.json(['plan', 'list']);
    chmodSync(join(admin.folder, 'secrets.json'), 0o644);
    const { code, stdout } = await admin.runHere(['check', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).problems).toEqual([expect.stringMatching(/secrets\.json.*: run "chmod 600/)]);
  });

  it.skipIf(process.platform === 'win32')('a passphrase that every user can read', async () => {
    const file = join(temporaryFolder(), 'passphrase');
    writeFileSync(file, 'a long passphrase');
    chmodSync(file, 0o644);
    expect(await problemsWith({ LATCHKEY_BACKUP_PASSPHRASE_FILE: file })).toEqual([
      expect.stringContaining(`every user can read or change ${file}`),
    ]);
  });
});

describe('a license whose limit was lowered below its devices', () => {
  it('leads to a warning of check, and prevents neither a backup nor its restoration', async () => {
    const admin = createAdmin();
    const { license } = await admin.json<{ license: { id: string } }>(['license', 'issue', '--max-activations', '1']);
    for (const id of ['a', 'b']) {
      changeDatabase(
        admin.folder,
        `insert into activations values ('${id}', '${license.id}', '${id}', '', '', 0, 0, null, null, null)`,
      );
    }
    const warning = expect.stringContaining(`license ${license.id} is active on more devices than it allows`);
    const report = await admin.json<{ warnings: readonly string[] }>(['check']);
    expect(report).toMatchObject({ ok: true, warnings: expect.arrayContaining([warning]) });
    const file = join(temporaryFolder(), 'b.tar');
    await admin.json(['backup', file]);
    expect(await createAdmin().json(['restore', file])).toMatchObject({ rows: { activations: 2 } });
  });
});

const newerMigration = "insert into migrations values ('9999-of-the-future', 0)";
const orphan = "insert into sessions values ('f', 'nobody', 0, 0, null, null)";
const mixedInstallers = "insert into installers values ('linux_amd64', '1', 'h', 0), ('windows_x64', '2', 'h', 0)";

function changeDatabase(folder: string, sql: string): void {
  const connection = new DatabaseSync(join(folder, 'latchkey.db'), { enableForeignKeyConstraints: false });
  connection.exec(sql);
  connection.close();
}

function otherSecrets(folder: string): void {
  const secret = Buffer.alloc(32, 7).toString('base64url');
  writeFileSync(join(folder, 'secrets.json'), JSON.stringify({ version: 1, master_key: secret, pepper: secret }));
}

/** Overwrites every page except the first few. */
function corrupt(folder: string): void {
  for (const log of ['latchkey.db-wal', 'latchkey.db-shm']) rmSync(join(folder, log), { force: true });
  const path = join(folder, 'latchkey.db');
  const content = readFileSync(path);
  content.fill(0xa5, 16_384);
  writeFileSync(path, content);
}

it('check --upgrade with nothing to do reports the size of the database', async () => {
  const admin = createAdmin();
  await admin.json(['plan', 'list']);
  const { bytes, upgrade } = await admin.json<{ bytes: number; upgrade: object }>(['check', '--upgrade']);
  expect(bytes).toBeGreaterThan(0);
  expect(upgrade).toMatchObject({ needed: false, bytes_before: bytes, bytes_after: bytes });
});
