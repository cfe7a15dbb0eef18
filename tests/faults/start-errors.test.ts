/**
 * What prevents the server from starting: each reason is one line on standard error, and no foreign file is changed.
 */
import { execSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limitsOff, type Settings } from '../harness/environment.ts';
import { runUntilExit, startServer } from '../harness/start-server.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';

const folder = makeTemporaryFolder();
const original = join(folder, 'original');
let databaseName: string;

beforeAll(async () => {
  for (const name of ['original', 'other']) {
    const server = await startServer({ ...limitsOff, LATCHKEY_DATA: join(folder, name) });
    await server.stop();
  }
  const isDatabase = (name: string) =>
    readFileSync(join(original, name)).subarray(0, 15).toString() === 'SQLite format 3';
  databaseName = readdirSync(original).find(isDatabase) ?? '';
  expect(databaseName).not.toBe('');
});

afterAll(() => removeFolder(folder));

let folders = 0;

/** Returns a data folder that contains only copies of the named files of the original. */
function dataFolderWith(...names: string[]): string {
  folders += 1;
  const path = join(folder, `data-${folders}`);
  mkdirSync(path, { mode: 0o700 });
  for (const name of names) copyFileSync(join(original, name), join(path, name));
  return path;
}

/** Returns the one line that says why the server did not start. */
async function startError(settings: Settings): Promise<string> {
  const { code, signal, stdout, stderr } = await runUntilExit({ ...limitsOff, ...settings });
  expect(signal).toBeNull();
  expect(code).toBe(1);
  expect(stdout).not.toMatch(/^listening/m);
  const lines = stderr.trim().split('\n');
  expect(lines, stderr).toHaveLength(1);
  expect(stderr).not.toMatch(/node:internal|\.ts:\d/);
  return lines[0] ?? '';
}

describe('a foreign or damaged database file', () => {
  const otherFiles: readonly (readonly [string, (file: string) => void])[] = [
    ['an empty file', (file) => writeFileSync(file, '')],
    ['a text file', (file) => writeFileSync(file, 'Dear diary,\n'.repeat(500))],
    ['a few bytes', (file) => writeFileSync(file, Buffer.from([1, 2, 3]))],
    ['the SQLite database of another program', (file) => makeDatabase(file, 'create table recipes (name text) strict')],
    ['a SQLite database with tables named like ours', (file) => makeDatabase(file, 'create table accounts (id text)')],
    [
      'a SQLite database with the mark of another program',
      (file) => makeDatabase(file, 'pragma application_id = 1196444487'),
    ],
  ];

  it.each(otherFiles)('prevents the server from starting and is left unchanged: %s', async (_, make) => {
    const dataFolder = dataFolderWith('secrets.json');
    const file = join(dataFolder, databaseName);
    make(file);
    const before = readFileSync(file);
    const reason = await startError({ LATCHKEY_DATA: dataFolder });
    expect(reason).toMatch(/^cannot start: .* is not a database of this service/);
    expect(reason).toContain(databaseName);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(dataFolder).sort()).toStrictEqual([databaseName, 'secrets.json'].sort());
  });

  it('prevents the server from starting if it is its own but truncated', async () => {
    const dataFolder = dataFolderWith('secrets.json');
    const beginning = readFileSync(join(original, databaseName)).subarray(0, 3_000);
    writeFileSync(join(dataFolder, databaseName), beginning);
    expect(await startError({ LATCHKEY_DATA: dataFolder })).toContain(databaseName);
    expect(readFileSync(join(dataFolder, databaseName)).equals(beginning)).toBe(true);
  });

  it('prevents the server from starting if it is a folder', async () => {
    const dataFolder = dataFolderWith();
    mkdirSync(join(dataFolder, databaseName));
    await startError({ LATCHKEY_DATA: dataFolder });
    expect(readdirSync(join(dataFolder, databaseName))).toStrictEqual([]);
  });
});

function makeDatabase(file: string, statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(`create table if not exists something (x integer); ${statement}`);
  database.close();
}

describe('the secrets file', () => {
  it('of another database prevents the server from starting, and both files are left unchanged', async () => {
    const dataFolder = dataFolderWith(databaseName);
    copyFileSync(join(folder, 'other', 'secrets.json'), join(dataFolder, 'secrets.json'));
    const before = readFileSync(join(dataFolder, 'secrets.json'));
    expect(await startError({ LATCHKEY_DATA: dataFolder })).toMatch(/secrets/);
    expect(readFileSync(join(dataFolder, 'secrets.json')).equals(before)).toBe(true);
  });

  it('that is missing beside an existing database is not recreated', async () => {
    const dataFolder = dataFolderWith(databaseName);
    expect(await startError({ LATCHKEY_DATA: dataFolder })).toMatch(/secrets/);
    expect(existsSync(join(dataFolder, 'secrets.json'))).toBe(false);
  });

  it.each(['', '{', '{}', '[]', '{"master_key":"short"}', 'null'])(
    'that contains %j prevents the server from starting',
    async (content) => {
      const dataFolder = dataFolderWith(databaseName);
      writeFileSync(join(dataFolder, 'secrets.json'), content, { mode: 0o600 });
      expect(await startError({ LATCHKEY_DATA: dataFolder })).toMatch(/secrets/);
      expect(readFileSync(join(dataFolder, 'secrets.json'), 'utf8')).toBe(content);
    },
  );

  it.skipIf(process.platform === 'win32').each([0o666, 0o640, 0o602])(
    'that other users can read or change is rejected until the named command has been run: mode %i',
    async (mode) => {
      const dataFolder = dataFolderWith(databaseName, 'secrets.json');
      chmodSync(join(dataFolder, 'secrets.json'), mode);
      const command = `chmod 600 ${join(dataFolder, 'secrets.json')}`;
      expect(await startError({ LATCHKEY_DATA: dataFolder })).toContain(`run "${command}"`);
      execSync(command);
      const server = await startServer({ ...limitsOff, LATCHKEY_DATA: dataFolder });
      expect((await server.stop()).code).toBe(0);
    },
  );

  it.skipIf(process.platform === 'win32').each([0o777, 0o770])(
    'in a folder that other users can change is rejected until the named command has been run: mode %i',
    async (mode) => {
      const dataFolder = dataFolderWith(databaseName, 'secrets.json');
      chmodSync(dataFolder, mode);
      const command = `chmod go-w ${dataFolder}`;
      expect(await startError({ LATCHKEY_DATA: dataFolder })).toContain(`run "${command}"`);
      execSync(command);
      const server = await startServer({ ...limitsOff, LATCHKEY_DATA: dataFolder });
      expect((await server.stop()).code).toBe(0);
    },
  );

  it.skipIf(process.platform === 'win32')('is not created in a folder that other users can change', async () => {
    const dataFolder = dataFolderWith();
    chmodSync(dataFolder, 0o777);
    expect(await startError({ LATCHKEY_DATA: dataFolder })).toContain('chmod go-w');
    expect(existsSync(join(dataFolder, 'secrets.json'))).toBe(false);
  });

  it.skipIf(process.platform === 'win32').each([
    ['above its folder', ''],
    ['above the target of a link', 'linked'],
  ])('below a folder that other users can change is rejected, %s', async (_, link) => {
    const dataFolder = dataFolderWith(databaseName);
    const open = join(dataFolder, 'open');
    const secrets = join(open, 'private', 'secrets.json');
    mkdirSync(join(open, 'private'), { recursive: true, mode: 0o700 });
    copyFileSync(join(original, 'secrets.json'), secrets);
    if (link) symlinkSync(secrets, join(dataFolder, link));
    const settings = { LATCHKEY_DATA: dataFolder, LATCHKEY_SECRETS_FILE: link ? join(dataFolder, link) : secrets };
    chmodSync(open, 0o777);
    expect(await startError(settings)).toContain(`run "chmod go-w ${open}"`);
    execSync(`chmod go-w ${open}`);
    const server = await startServer({ ...limitsOff, ...settings });
    expect((await server.stop()).code).toBe(0);
  });

  it.skipIf(process.platform === 'win32')('is accepted as Kubernetes mounts it, behind two links', async () => {
    const dataFolder = dataFolderWith(databaseName);
    const mount = join(dataFolder, 'mount');
    mkdirSync(join(mount, '..2026_11_22'), { recursive: true });
    chmodSync(mount, 0o1777);
    copyFileSync(join(original, 'secrets.json'), join(mount, '..2026_11_22', 'secrets.json'));
    chmodSync(join(mount, '..2026_11_22', 'secrets.json'), 0o400);
    symlinkSync('..2026_11_22', join(mount, '..data'));
    symlinkSync('..data/secrets.json', join(mount, 'secrets.json'));
    const settings = { LATCHKEY_DATA: dataFolder, LATCHKEY_SECRETS_FILE: join(mount, 'secrets.json') };
    const server = await startServer({ ...limitsOff, ...settings });
    expect((await server.stop()).code).toBe(0);
  });

  it('that is a dangling link prevents the server from starting', async () => {
    const dataFolder = dataFolderWith(databaseName);
    symlinkSync(join(dataFolder, 'nothing'), join(dataFolder, 'secrets.json'));
    expect(await startError({ LATCHKEY_DATA: dataFolder })).toContain('which does not exist');
    expect(existsSync(join(dataFolder, 'nothing'))).toBe(false);
  });

  // Only root can change the owner of a file.
  it.runIf(process.geteuid?.() === 0)('of another user is rejected until the named command has been run', async () => {
    const dataFolder = dataFolderWith(databaseName, 'secrets.json');
    chownSync(join(dataFolder, 'secrets.json'), 12_345, 12_345);
    const command = `chown 0 ${join(dataFolder, 'secrets.json')}`;
    expect(await startError({ LATCHKEY_DATA: dataFolder })).toContain(`run "${command}"`);
    execSync(command);
    const server = await startServer({ ...limitsOff, LATCHKEY_DATA: dataFolder });
    expect((await server.stop()).code).toBe(0);
  });

  it.runIf(process.geteuid?.() === 0)('of the user whose data root works on is accepted', async () => {
    const dataFolder = dataFolderWith(databaseName, 'secrets.json');
    for (const path of [dataFolder, join(dataFolder, 'secrets.json')]) chownSync(path, 12_345, 12_345);
    const server = await startServer({ ...limitsOff, LATCHKEY_DATA: dataFolder });
    expect((await server.stop()).code).toBe(0);
  });

  it('may be at the path in LATCHKEY_SECRETS_FILE', async () => {
    const dataFolder = dataFolderWith(databaseName);
    const secrets = join(folder, 'elsewhere.json');
    copyFileSync(join(original, 'secrets.json'), secrets);
    const server = await startServer({ ...limitsOff, LATCHKEY_DATA: dataFolder, LATCHKEY_SECRETS_FILE: secrets });
    expect((await server.stop()).code).toBe(0);
  });
});

describe('the first start', () => {
  it('creates a data folder for its owner only, with everything in it', async () => {
    const dataFolder = join(folder, 'new', 'deep');
    const server = await startServer({ ...limitsOff, LATCHKEY_DATA: dataFolder });
    await server.stop();
    expect(readdirSync(dataFolder).sort()).toStrictEqual([databaseName, 'secrets.json'].sort());
    if (process.platform === 'win32') return;
    expect(statSync(dataFolder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(dataFolder)) expect(statSync(join(dataFolder, name)).mode & 0o077).toBe(0);
  });

  it
    .runIf(process.platform === 'linux')
    .each<Settings>([
      { LATCHKEY_DATA: '/proc/latchkey/data' },
      { LATCHKEY_DATA: join(folder, 'with-secrets-elsewhere'), LATCHKEY_SECRETS_FILE: '/proc/latchkey/secrets.json' },
    ])('fails if no folder can be created: %j', async (settings) => {
    expect(await startError(settings)).toContain('/proc/latchkey');
  });

  it('prints exactly one line that says where it listens', async () => {
    const server = await startServer({ ...limitsOff, LATCHKEY_DATA: dataFolderWith() });
    await server.stop();
    expect(server.stdout().match(/^listening on http:\/\/127\.0\.0\.1:\d+$/gm)).toHaveLength(1);
  });
});

describe('a setting', () => {
  // `config.test.ts` covers every invalid value; here the process exits because of one.
  it.each([
    ['LATCHKEY_PROT', '8470', /^cannot start: LATCHKEY_PROT is not a setting/],
    ['LATCHKEY_PORT', 'eighty', /LATCHKEY_PORT/],
    ['LATCHKEY_ENV_FILE', '/nowhere/settings.env', /LATCHKEY_ENV_FILE/],
  ])('that is invalid or unknown is named, even with a silent log: %s=%s', async (name, value, reason) => {
    const settings = { LATCHKEY_DATA: join(folder, 'never'), LATCHKEY_LOG_LEVEL: 'silent', [name]: value };
    expect(await startError(settings)).toMatch(reason);
  });

  it.each([[['--workers', '1']], [['--workers', '2']]])(
    'is named together with all other invalid ones: %j',
    async (words) => {
      const settings = { LATCHKEY_DATA: join(folder, 'never'), LATCHKEY_PROT: '8470', LATCHKEY_TLS_KEY: 'key.pem' };
      const { code, stderr } = await runUntilExit({ ...limitsOff, ...settings }, words);
      expect(code).toBe(1);
      expect(stderr.trim()).toMatch(
        /^cannot start: 2 settings are wrong: LATCHKEY_PROT is not a setting.*; LATCHKEY_TLS_CERT and .* belong together.*$/,
      );
    },
  );

  it('is also read from the file that LATCHKEY_ENV_FILE names, and validated', async () => {
    const file = join(folder, 'settings.env');
    writeFileSync(file, 'LATCHKEY_RATE_LOGIN=lots\n');
    const { LATCHKEY_RATE_LOGIN: _, ...rest } = limitsOff;
    const { code, stderr } = await runUntilExit({
      ...rest,
      LATCHKEY_DATA: join(folder, 'never'),
      LATCHKEY_ENV_FILE: file,
    });
    expect(code).not.toBe(0);
    expect(stderr).toContain('LATCHKEY_RATE_LOGIN');
  });

  it.each<[string, Settings, RegExp]>([
    ['an unknown plan', { LATCHKEY_TRIAL_PLAN: 'platinum' }, /LATCHKEY_TRIAL_PLAN/],
    ['no host name', { LATCHKEY_HOST: 'no such host' }, /LATCHKEY_HOST/],
    [
      'an address that the machine does not have',
      { LATCHKEY_HOST: '192.0.2.1', LATCHKEY_ALLOW_HTTP: '1' },
      /LATCHKEY_HOST 192\.0\.2\.1.*EADDRNOTAVAIL/,
    ],
    ['a missing certificate', { LATCHKEY_TLS_CERT: 'a.pem', LATCHKEY_TLS_KEY: 'b.pem' }, /a\.pem/],
  ])('that only proves invalid at startup is named: %s', async (_, settings, reason) => {
    expect(await startError({ LATCHKEY_DATA: dataFolderWith(), ...settings })).toMatch(reason);
  });

  it('that is invalid leaves no data behind', () => {
    expect(existsSync(join(folder, 'never'))).toBe(false);
  });
});

describe('a port in use', () => {
  it('is reported with its setting', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    const port = await new Promise<number>((resolve) =>
      holder.once('listening', () => resolve((holder.address() as AddressInfo).port)),
    );
    const reason = await startError({ LATCHKEY_DATA: dataFolderWith(), LATCHKEY_PORT: String(port) });
    expect(reason).toMatch(new RegExp(`LATCHKEY_PORT ${port}.*EADDRINUSE`));
    holder.close();
  });
});

describe('a data folder that cannot be created', () => {
  it('is reported with its setting', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    for (const dataFolder of [file, join(file, 'data')]) {
      expect(await startError({ LATCHKEY_DATA: dataFolder })).toMatch(
        /^cannot start: LATCHKEY_DATA is wrong: .*cannot be used/,
      );
    }
    rmSync(file);
  });
});
