/** `restore`: everything works as before, even in another folder, and a bad file changes nothing. */
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
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { create, extract } from 'tar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashFile } from '../../../server/hash-file.ts';
import { Admin } from '../../harness/admin.ts';
import { type HttpServer, openHttpServer, sharedHttpServer, startHttpServer } from '../../harness/http-server.ts';
import { makeTemporaryFolder, removeFolder } from '../../harness/temporary-folder.ts';
import { createAdmin, expectDocument, expectFailure, temporaryFolder } from '../../harness/test-admin.ts';
import { stringIn } from '../../harness/test-client.ts';
import { activate, issueLicense, signUp, subscriber, type User } from '../../harness/users.ts';

const user = { email: 'ada@example.com', password: 'a fine passphrase', full_name: '' };

/** Returns every file of a folder with its content. */
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

/** Repacks the archive after `change`; with `mend`, the manifest matches the changed files. */
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
  it('saves what it replaces as a separate data folder, wherever the secrets file is', async () => {
    const secretsFile = join(temporaryFolder(), 'keys.json');
    const admin = createAdmin({ LATCHKEY_SECRETS_FILE: secretsFile });
    await admin.createUser('ada@example.com');
    const { replaced } = await admin.json(['restore', await backupOf(admin)]);
    expect(await createAdmin({}, String(replaced)).json(['check'])).toMatchObject({ ok: true, secrets: 'match' });
  });

  it('saves the current data before it replaces them', async () => {
    const admin = createAdmin();
    await admin.createUser('before@example.com');
    const file = await backupOf(admin);
    await admin.createUser('after@example.com');
    const report = await admin.json(['restore', file]);
    const users = await admin.json<{ email: string }[]>(['user', 'list']);
    expect(users.map(({ email }) => email)).toEqual(['before@example.com']);

    const replaced = String(report.replaced);
    expect(readdirSync(replaced).sort()).toEqual(['latchkey.db', 'secrets.json']);
    const replacedUsers = await createAdmin({}, replaced).json<{ email: string }[]>(['user', 'list']);
    expect(replacedUsers.map(({ email }) => email)).toEqual(['before@example.com', 'after@example.com']);
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

  it('keeps the age of the master key and the pepper', async () => {
    const admin = createAdmin();
    await admin.createUser('ada@example.com');
    const created = new Date('2026-01-02T03:04:05.000Z');
    utimesSync(join(admin.folder, 'secrets.json'), created, created);
    const other = createAdmin();
    await other.json(['restore', await backupOf(admin)]);
    const { keys } = await other.json(['check']);
    const ageOf = (purpose: string) => ({ purpose, created_at: created.toISOString() });
    expect(keys).toEqual(
      expect.arrayContaining(['master', 'pepper'].map((name) => expect.objectContaining(ageOf(name)))),
    );
  });

  it('requires the server to be stopped', async () => {
    const admin = createAdmin();
    const server = await startHttpServer(admin);
    await server.call('signup', { body: user });
    const file = await backupOf(admin);
    expect(await admin.failure(['restore', file])).toMatchObject({ code: 'SERVER_RUNNING' });
    expect((await server.call('login', { body: user })).status).toBe(200);
    await server.stop();
    await admin.json(['restore', file]);
  });

  it('replaces a damaged database, and saves that too', async () => {
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

describe('a backup that is restored into another folder', () => {
  const original = sharedHttpServer();
  const folder = makeTemporaryFolder();
  const file = join(folder, 'backup.tar');
  const target = new Admin(join(folder, 'restored'));
  let restored: HttpServer;
  let state: { user: User; apiKey: string; licenseKey: string; deviceId: string; activationId: string; late: User };

  beforeAll(async () => {
    const user = await subscriber(original);
    const apiKey = stringIn((await original.call('apiKey', { token: user.token })).body, 'api_key');
    const { key: licenseKey } = await issueLicense(original, '--email', user.email);
    const { deviceId, activationId } = await activate(original, user, licenseKey);
    await original.admin('installer', 'publish', '3.0.0', '--linux-amd64', `sha256:${'c'.repeat(64)}`);
    // The server runs during the backup.
    expectDocument(await original.runProcess(['backup', file, '--json']));
    state = { user, apiKey, licenseKey, deviceId, activationId, late: await signUp(original) };
    const report = expectDocument(await target.run(['restore', file, '--json']));
    expect(report).toMatchObject({ file, database: 'sqlite', replaced: null, rows: { users: 1, licenses: 1 } });
    restored = await openHttpServer(target);
  });

  afterAll(async () => {
    await restored?.stop();
    removeFolder(folder);
  });

  it('an access token issued before the backup works', async () => {
    const { status, body } = await restored.call('subscriptionStatus', { token: state.user.token });
    expect(status).toBe(200);
    expect(body).toMatchObject({ subscription: { plan: 'standard' }, license: { activations: 1 } });
  });

  it('the user can sign in with the password', async () => {
    const { email, password, id } = state.user;
    expect((await restored.call('login', { body: { email, password } })).body).toMatchObject({ user: { id } });
  });

  it('the refresh token can be refreshed', async () => {
    const body = { refresh_token: state.user.refreshToken };
    expect((await restored.call('refresh', { body })).status).toBe(200);
  });

  it('the API key is valid', async () => {
    const { body } = await restored.call('validateApiKey', { body: { api_key: state.apiKey } });
    expect(body).toMatchObject({ valid: true, plan: 'standard' });
  });

  it('the license key is known, with its device', async () => {
    const body = { license_key: state.licenseKey, device_id: state.deviceId };
    const { token } = state.user;
    expect((await restored.call('validateLicense', { token, body })).body).toMatchObject({
      valid: true,
      activations: 1,
      already_activated_on_device: true,
    });
    expect((await restored.call('activateLicense', { token, body })).body.activation_id).toBe(state.activationId);
  });

  it('the installer hashes are published', async () => {
    expect((await restored.call('installerHashes')).body).toMatchObject({ version: '3.0.0' });
  });

  it('data from after the backup is missing', async () => {
    const { email, password } = state.late;
    expect((await restored.call('login', { body: { email, password } })).body.code).toBe('USER_NOT_FOUND');
  });

  it('check finds no problems, even while the server runs', async () => {
    const found = expectDocument(await target.runHere(['check', '--json']));
    expect(found).toMatchObject({ ok: true, problems: [] });
  });

  it('a restore over it fails while the server runs', async () => {
    expectFailure(await target.runHere(['restore', file, '--json']), 'SERVER_RUNNING');
    expect((await restored.call('subscriptionStatus', { token: state.user.token })).status).toBe(200);
  });
});

describe('restore of a bad file fails and changes nothing:', () => {
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

  it('a folder, with an error that says so', async () => {
    const { admin } = setUp();
    const folder = temporaryFolder();
    expect(await admin.failure(['restore', folder])).toMatchObject({
      code: 'NOT_FOUND',
      error: `${folder} is a folder: name a backup in it.`,
    });
  });

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

  it('a truncated archive', async () => {
    const { admin, file } = setUp();
    const { size } = statSync(file);
    for (const length of [600, Math.floor(size / 2), size - 2048]) {
      truncateSync(file, length);
      expect(await admin.failure(['restore', file])).toMatchObject({ code: 'BACKUP_DAMAGED' });
    }
  });

  it('except that unexpected files in the archive are only ignored', async () => {
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
const orphan = "insert into sessions values ('f', 'nobody', 0, 0, null, null)";

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
