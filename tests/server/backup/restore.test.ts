/** `restore`: everything works as before, in another folder too, and a bad backup changes nothing. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { create, extract } from 'tar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashFile } from '../../../server/hash-file.ts';
import { type Admin, createAdmin, temporaryFolder } from '../../harness/run-admin.ts';
import { startServer } from '../../harness/start-server-old.ts';

const deviceId = 'HW-01234567-89ABCDEF-01234567-89ABCDEF';
const person = { email: 'ada@example.com', password: 'a fine passphrase', full_name: '' };

/** Every file of a folder with its content. */
function contentsOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => statSync(join(folder, name)).isFile() && !/-(wal|shm)$/.test(name));
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name)).toString('base64')]));
}

async function backupOf(admin: Admin): Promise<string> {
  const file = join(temporaryFolder(), 'backup.tar');
  await admin.json(['backup', file]);
  return file;
}

/** Another archive with the same files, changed by `change`; with `mend` the manifest matches the changed files. */
async function repack(file: string, change: (folder: string) => void, mend = true): Promise<string> {
  const folder = temporaryFolder();
  await extract({ file, cwd: folder });
  change(folder);
  if (mend) {
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    for (const part of manifest.files) {
      part.bytes = statSync(join(folder, part.name)).size;
      part.sha256 = await hashFile(join(folder, part.name));
    }
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  }
  const packed = join(temporaryFolder(), 'changed.tar');
  await create({ cwd: folder, file: packed }, readdirSync(folder));
  return packed;
}

const changeDatabase = (sql: string) => (folder: string) => {
  const connection = new DatabaseSync(join(folder, 'latchkey.db'), { enableForeignKeyConstraints: false });
  connection.exec(sql);
  connection.close();
};

const flipByte = (name: string) => (folder: string) => {
  const content = readFileSync(join(folder, name));
  const middle = Math.floor(content.length / 2);
  content.writeUInt8(content.readUInt8(middle) ^ 1, middle);
  writeFileSync(join(folder, name), content);
};

describe('restore', () => {
  it('restores tokens, license keys and API keys in another folder', async () => {
    const admin = createAdmin();
    const before = await startServer(admin.folder);
    const { body: session } = await before.call('/auth/signup', person);
    await admin.json(['subscription', 'set', person.email, '--plan', 'standard']);
    const { license_key } = await admin.json<{ license_key: string }>(['license', 'issue', '--email', person.email]);
    const token = String(session.access_token);
    const { body: apiKey } = await before.call('/metrics/api-key', {}, token);
    const file = await backupOf(admin);
    await before.stop();

    const elsewhere = createAdmin();
    const report = await elsewhere.json(['restore', file]);
    expect(report).toMatchObject({ file, database: 'sqlite', replaced: null, rows: { users: 1, licenses: 1 } });
    const after = await startServer(elsewhere.folder);
    expect((await after.call('/subscription/status', undefined, token)).body).toMatchObject({ has_subscription: true });
    const validated = await after.call('/license/validate', { license_key, device_id: deviceId }, token);
    expect(validated.body).toMatchObject({ valid: true });
    const checked = await after.call('/metrics/api-key/validate', { api_key: apiKey.api_key });
    expect(checked.body).toMatchObject({ valid: true });
    expect((await after.call('/auth/refresh', { refresh_token: session.refresh_token })).status).toBe(200);
    expect((await after.call('/auth/login', person)).status).toBe(200);
  });

  it('saves what it replaces as a data folder of its own, wherever the secrets file is', async () => {
    const secretsFile = join(temporaryFolder(), 'keys.json');
    const admin = createAdmin({ LATCHKEY_SECRETS_FILE: secretsFile });
    await admin.createUser('ada@example.com');
    const { replaced } = await admin.json(['restore', await backupOf(admin)]);
    expect(await createAdmin({}, String(replaced)).json(['check'])).toMatchObject({ ok: true, secrets: 'match' });
  });

  it('replaces the present data, and saves it', async () => {
    const admin = createAdmin();
    await admin.createUser('before@example.com');
    const file = await backupOf(admin);
    await admin.createUser('after@example.com');
    const report = await admin.json(['restore', file]);
    const users = await admin.json<{ email: string }[]>(['user', 'list']);
    expect(users.map(({ email }) => email)).toEqual(['before@example.com']);

    const replaced = String(report.replaced);
    expect(readdirSync(replaced).sort()).toEqual(['latchkey.db', 'secrets.json']);
    const kept = await createAdmin({}, replaced).json<{ email: string }[]>(['user', 'list']);
    expect(kept.map(({ email }) => email)).toEqual(['before@example.com', 'after@example.com']);
    expect(readdirSync(admin.folder).filter((name) => name.startsWith('.'))).toEqual([]);
    for (const name of ['latchkey.db', 'secrets.json'])
      expect(statSync(join(admin.folder, name)).mode & 0o777).toBe(0o600);
  });

  it('puts the secrets where LATCHKEY_SECRETS_FILE says', async () => {
    const admin = createAdmin();
    await admin.createUser('ada@example.com');
    const file = await backupOf(admin);
    const secretsFile = join(temporaryFolder(), 'keys', 'secrets.json');
    const elsewhere = createAdmin({ LATCHKEY_SECRETS_FILE: secretsFile });
    await elsewhere.json(['restore', file]);
    expect(existsSync(secretsFile)).toBe(true);
    expect(readdirSync(elsewhere.folder)).toEqual(['latchkey.db']);
    expect(await elsewhere.json(['check'])).toMatchObject({ ok: true, secrets: 'match', secrets_file: secretsFile });
  });

  it('requires the server to be stopped', async () => {
    const admin = createAdmin();
    const server = await startServer(admin.folder);
    await server.call('/auth/signup', person);
    const file = await backupOf(admin);
    expect(await admin.failure(['restore', file])).toMatchObject({ code: 'SERVER_RUNNING' });
    expect((await server.call('/auth/login', person)).status).toBe(200);
    await server.stop();
    await admin.json(['restore', file]);
  });

  it('replaces a damaged database, and saves that one too', async () => {
    const admin = createAdmin();
    await admin.createUser('ada@example.com');
    const file = await backupOf(admin);
    for (const log of ['latchkey.db-wal', 'latchkey.db-shm']) rmSync(join(admin.folder, log), { force: true });
    writeFileSync(join(admin.folder, 'latchkey.db'), 'not a database any more, by some accident of the disk');
    writeFileSync(join(admin.folder, 'latchkey.db-wal'), 'its log');
    const report = await admin.json(['restore', file]);
    expect(readFileSync(join(String(report.replaced), 'latchkey.db-wal'), 'utf8')).toBe('its log');
    expect(await admin.json(['check'])).toMatchObject({ ok: true, rows: { users: 1 } });
  });
});

describe('restore rejects, and changes nothing:', () => {
  const original = mkdtempSync(join(tmpdir(), 'latchkey-original-'));
  beforeAll(async () => {
    const admin = createAdmin({}, join(original, 'data'));
    await admin.createUser('ada@example.com');
    await admin.json(['backup', join(original, 'backup.tar')]);
  });
  afterAll(() => rmSync(original, { recursive: true, force: true }));

  const setUp = () => {
    const folder = temporaryFolder();
    cpSync(original, folder, { recursive: true });
    return { admin: createAdmin({}, join(folder, 'data')), file: join(folder, 'backup.tar') };
  };

  it.each<[string, string, (file: string) => string | Promise<string>]>([
    ['a file that is not there', 'NOT_FOUND', () => '/no/such/backup.tar'],
    ['a folder', 'NOT_FOUND', () => temporaryFolder()],
    ['a changed database', 'BACKUP_DAMAGED', (file) => repack(file, flipByte('latchkey.db'), false)],
    ['changed secrets', 'BACKUP_DAMAGED', (file) => repack(file, flipByte('secrets.json'), false)],
    [
      'a missing file',
      'BACKUP_DAMAGED',
      (file) => repack(file, (folder) => rmSync(join(folder, 'secrets.json')), false),
    ],
    ['no manifest', 'BACKUP_DAMAGED', (file) => repack(file, (folder) => rmSync(join(folder, 'manifest.json')), false)],
    [
      'a corrupt database',
      'BACKUP_DAMAGED',
      (file) => repack(file, (folder) => truncateSync(join(folder, 'latchkey.db'), 40_960)),
    ],
    ['rows that refer to missing rows', 'BACKUP_DAMAGED', (file) => repack(file, changeDatabase(orphan))],
    ['secrets of another database', 'BACKUP_DAMAGED', (file) => repack(file, writeOtherSecrets)],
    ['a newer schema', 'NEWER_VERSION', (file) => repack(file, changeDatabase(newerMigration))],
    ['a newer format', 'NEWER_VERSION', (file) => repack(file, writeNewerFormat, false)],
    ['another kind of file', 'BACKUP_DAMAGED', () => writeFileAnd('just some text, and a good deal of it'.repeat(100))],
    ['an empty file', 'BACKUP_DAMAGED', () => writeFileAnd('')],
  ])('%s', async (_name, code, make) => {
    const { admin, file } = setUp();
    const bad = await make(file);
    const before = contentsOf(admin.folder);
    expect(await admin.failure(['restore', bad])).toMatchObject({ code });
    expect(contentsOf(admin.folder)).toEqual(before);
    expect(readdirSync(admin.folder).filter((name) => /^\.|replaced/.test(name))).toEqual([]);
  });

  it('an archive that was cut short', async () => {
    const { admin, file } = setUp();
    const { size } = statSync(file);
    for (const length of [600, Math.floor(size / 2), size - 2048]) {
      truncateSync(file, length);
      expect(await admin.failure(['restore', file])).toMatchObject({ code: 'BACKUP_DAMAGED' });
    }
  });

  it('names in the archive that are not expected', async () => {
    const { admin, file } = setUp();
    const trap = temporaryFolder();
    const bad = await repack(file, (folder) => {
      mkdirSync(join(folder, 'inner'));
      writeFileSync(join(folder, 'inner', 'secrets.json'), 'x');
      writeFileSync(join(folder, 'stray.txt'), 'x');
    });
    await admin.json(['restore', bad]);
    expect(readdirSync(admin.folder).sort().join()).not.toContain('stray');
    expect(readdirSync(trap)).toEqual([]);
  });
});

const newerMigration = "insert into migrations values ('9999-of-the-future', 0)";
const orphan = "insert into refresh_families values ('f', 'nobody', 0, 0, null)";

function writeOtherSecrets(folder: string): void {
  const secret = Buffer.alloc(32, 7).toString('base64url');
  writeFileSync(join(folder, 'secrets.json'), JSON.stringify({ version: 1, master_key: secret, pepper: secret }));
}

function writeNewerFormat(folder: string): void {
  const path = join(folder, 'manifest.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), version: 2 }));
}

function writeFileAnd(content: string): string {
  const path = join(temporaryFolder(), 'file.tar');
  writeFileSync(path, content);
  return path;
}
