/** What keeps the server from starting: each is told in one line, and nothing of someone else's is touched. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
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
  for (const name of ['original', 'stranger']) {
    const server = await startServer({ ...limitsOff, LATCHKEY_DATA: join(folder, name) });
    await server.stop();
  }
  const isDatabase = (name: string) =>
    readFileSync(join(original, name)).subarray(0, 15).toString() === 'SQLite format 3';
  databaseName = readdirSync(original).find(isDatabase) ?? '';
  expect(databaseName).not.toBe('');
}, 60_000);

afterAll(() => removeFolder(folder));

let folders = 0;

/** A data folder that holds copies of the original's files, those named, and nothing else. */
function dataFolderWith(...names: string[]): string {
  folders += 1;
  const path = join(folder, `data-${folders}`);
  mkdirSync(path, { mode: 0o700 });
  for (const name of names) copyFileSync(join(original, name), join(path, name));
  return path;
}

/** The one line with which it refused. */
async function refusal(settings: Settings): Promise<string> {
  const { code, signal, stdout, stderr } = await runUntilExit({ ...limitsOff, ...settings });
  expect(signal).toBeNull();
  expect(code).not.toBe(0);
  expect(stdout).not.toMatch(/^listening/m);
  const lines = stderr.trim().split('\n');
  expect(lines, stderr).toHaveLength(1);
  expect(stderr).not.toMatch(/node:internal|\.ts:\d/);
  return lines[0] ?? '';
}

describe('a database file that is not ours', () => {
  const strangers: readonly (readonly [string, (file: string) => void])[] = [
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

  it.each(strangers)('is refused and left as it is: %s', async (_, make) => {
    const dataFolder = dataFolderWith('secrets.json');
    const file = join(dataFolder, databaseName);
    make(file);
    const before = readFileSync(file);
    const reason = await refusal({ LATCHKEY_DATA: dataFolder });
    expect(reason).toContain(databaseName);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(dataFolder).sort()).toStrictEqual([databaseName, 'secrets.json'].sort());
  });

  it('is refused where it is ours but was cut', async () => {
    const dataFolder = dataFolderWith('secrets.json');
    const beginning = readFileSync(join(original, databaseName)).subarray(0, 3_000);
    writeFileSync(join(dataFolder, databaseName), beginning);
    expect(await refusal({ LATCHKEY_DATA: dataFolder })).toContain(databaseName);
    expect(readFileSync(join(dataFolder, databaseName)).equals(beginning)).toBe(true);
  });

  it('is refused where it is a folder', async () => {
    const dataFolder = dataFolderWith();
    mkdirSync(join(dataFolder, databaseName));
    await refusal({ LATCHKEY_DATA: dataFolder });
    expect(readdirSync(join(dataFolder, databaseName))).toStrictEqual([]);
  });
});

function makeDatabase(file: string, statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(`create table if not exists something (x integer); ${statement}`);
  database.close();
}

describe('the secrets file', () => {
  it('of another database is refused, and both files are left as they are', async () => {
    const dataFolder = dataFolderWith(databaseName);
    copyFileSync(join(folder, 'stranger', 'secrets.json'), join(dataFolder, 'secrets.json'));
    const before = readFileSync(join(dataFolder, 'secrets.json'));
    expect(await refusal({ LATCHKEY_DATA: dataFolder })).toMatch(/secrets/);
    expect(readFileSync(join(dataFolder, 'secrets.json')).equals(before)).toBe(true);
  });

  it('that is missing beside an existing database is not made anew', async () => {
    const dataFolder = dataFolderWith(databaseName);
    expect(await refusal({ LATCHKEY_DATA: dataFolder })).toMatch(/secrets/);
    expect(existsSync(join(dataFolder, 'secrets.json'))).toBe(false);
  });

  it.each(['', '{', '{}', '[]', '{"master_key":"short"}', 'null'])('that holds %j is refused', async (content) => {
    const dataFolder = dataFolderWith(databaseName);
    writeFileSync(join(dataFolder, 'secrets.json'), content);
    expect(await refusal({ LATCHKEY_DATA: dataFolder })).toMatch(/secrets/);
    expect(readFileSync(join(dataFolder, 'secrets.json'), 'utf8')).toBe(content);
  });

  it('may lie where LATCHKEY_SECRETS_FILE says', async () => {
    const dataFolder = dataFolderWith(databaseName);
    const secrets = join(folder, 'elsewhere.json');
    copyFileSync(join(original, 'secrets.json'), secrets);
    const server = await startServer({ ...limitsOff, LATCHKEY_DATA: dataFolder, LATCHKEY_SECRETS_FILE: secrets });
    expect((await server.stop()).code).toBe(0);
  });
});

describe('the first start', () => {
  it('makes a data folder for its owner alone, with everything in it', async () => {
    const dataFolder = join(folder, 'new', 'deep');
    const server = await startServer({ ...limitsOff, LATCHKEY_DATA: dataFolder });
    await server.stop();
    expect(readdirSync(dataFolder).sort()).toStrictEqual([databaseName, 'secrets.json'].sort());
    if (process.platform === 'win32') return;
    expect(statSync(dataFolder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(dataFolder)) expect(statSync(join(dataFolder, name)).mode & 0o077).toBe(0);
  });

  it('prints exactly one line that says where it listens', async () => {
    const server = await startServer({ ...limitsOff, LATCHKEY_DATA: dataFolderWith() });
    await server.stop();
    expect(server.stdout().match(/^listening on http:\/\/127\.0\.0\.1:\d+$/gm)).toHaveLength(1);
  });
});

describe('a setting', () => {
  it.each([
    ['LATCHKEY_PROT', '8470'],
    ['LATCHKEY_PORT', 'eighty'],
    ['LATCHKEY_PORT', '65536'],
    ['LATCHKEY_PORT', '-1'],
    ['LATCHKEY_ACCESS_TOKEN_TTL', '3600'],
    ['LATCHKEY_ACCESS_TOKEN_TTL', '0s'],
    ['LATCHKEY_REFRESH_TOKEN_TTL', '1 week'],
    ['LATCHKEY_RATE_LOGIN', 'none'],
    ['LATCHKEY_RATE_SIGNUP', '-1'],
    ['LATCHKEY_RATE_LICENSE', '1.5'],
    ['LATCHKEY_RATE_KEY_VALIDATE', '1e3'],
    ['LATCHKEY_UNIFORM_LOGIN_ERRORS', 'yes'],
    ['LATCHKEY_TRUST_PROXY', 'everybody'],
    ['LATCHKEY_TRIAL_DAYS', '0'],
    ['LATCHKEY_TLS_CERT', '/nowhere/cert.pem'],
    ['LATCHKEY_HOST', '0.0.0.0'],
    ['LATCHKEY_ENV_FILE', '/nowhere/settings.env'],
  ])('that is wrong or unknown is named: %s=%s', async (name, value) => {
    expect(await refusal({ LATCHKEY_DATA: join(folder, 'never'), [name]: value })).toContain(name);
  });

  it('is also read from the file that LATCHKEY_ENV_FILE names, and checked', async () => {
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

  it.each([
    ['LATCHKEY_TRIAL_PLAN', 'platinum'],
    ['LATCHKEY_HOST', 'no such host'],
  ])('that only the start itself shows to be wrong is refused: %s=%s', async (name, value) => {
    await refusal({ LATCHKEY_DATA: dataFolderWith(), [name]: value });
  });

  it('that was refused leaves no data behind', () => {
    expect(existsSync(join(folder, 'never'))).toBe(false);
  });
});

describe('a port that is taken', () => {
  it('is told in one line that names it', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    const port = await new Promise<number>((resolve) =>
      holder.once('listening', () => resolve((holder.address() as AddressInfo).port)),
    );
    const reason = await refusal({ LATCHKEY_DATA: dataFolderWith(), LATCHKEY_PORT: String(port) });
    expect(reason).toContain(String(port));
    holder.close();
  });
});

describe('a data folder that cannot be made', () => {
  it('is told in one line', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    await refusal({ LATCHKEY_DATA: join(file, 'data') });
    rmSync(file);
  });
});
