/** Scheduled backups: each is proven by a restore, old ones are deleted, and failures are reported. */
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Admin } from '../../harness/admin.ts';
import type { Settings } from '../../harness/environment.ts';
import { type HttpServer, startHttpServer } from '../../harness/http-server.ts';
import { findPostgres } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { runUntilExit } from '../../harness/start-server.ts';
import { createAdmin, temporaryFolder } from '../../harness/test-admin.ts';

type Check = {
  readonly ok: boolean;
  readonly last_proven_restore: string | null;
  readonly backups: readonly {
    readonly file: string;
    readonly rows: number | null;
    readonly proven_at: string | null;
    readonly encryption: string | null;
    readonly problem: string | null;
  }[];
  readonly problems: readonly string[];
};

const polling = { interval: 250 };
const isoDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Runs `check`, whether or not it finds problems. */
async function check(admin: Admin): Promise<Check> {
  return JSON.parse((await admin.runHere(['check', '--json'])).stdout);
}

async function startWithBackups(
  settings: Settings = {},
): Promise<{ admin: Admin; server: HttpServer; folder: string }> {
  const folder = join(temporaryFolder(), 'backups');
  const admin = createAdmin({ LATCHKEY_BACKUP_EVERY: '1s', LATCHKEY_BACKUP_FOLDER: folder, ...settings });
  return { admin, server: await startHttpServer(admin), folder };
}

async function nextProven(admin: Admin, after = 0): Promise<Check> {
  await expect.poll(async () => (await check(admin)).backups[0]?.file ?? '', polling).toMatch(/latchkey-/);
  await expect
    .poll(async () => Date.parse((await check(admin)).last_proven_restore ?? ''), polling)
    .toBeGreaterThan(after);
  return check(admin);
}

function restored(from: string, settings: Settings = {}): Promise<{ emails: string[]; admin: Admin }> {
  const admin = createAdmin(settings);
  return admin.json(['restore', from]).then(async () => ({
    admin,
    emails: (await admin.json<{ email: string }[]>(['user', 'list'])).map(({ email }) => email),
  }));
}

describe('a server with LATCHKEY_BACKUP_EVERY', () => {
  it('proves each backup by a restore, and check shows when', async () => {
    const { admin, server, folder } = await startWithBackups();
    await admin.createUser('ada@example.com');
    const createdMs = Date.now();
    const report = await nextProven(admin, createdMs + 1000);
    expect(report).toMatchObject({ ok: true, problems: [], last_proven_restore: expect.stringMatching(isoDate) });
    const [newest] = report.backups;
    expect(newest).toMatchObject({ encryption: null, problem: null, proven_at: report.last_proven_restore });
    await server.stop();
    const file = join(folder, readdirSync(folder).toSorted().at(-1) ?? '');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect((await restored(file)).emails).toEqual(['ada@example.com']);
    const entries = await admin.json<{ action: string; actor: string }[]>(['audit', 'list']);
    expect(entries).toContainEqual(expect.objectContaining({ action: 'backup.create', actor: 'server' }));
  });

  it('keeps the configured number of backups, in the data folder by default, and leaves no temporary file', async () => {
    const admin = createAdmin({ LATCHKEY_BACKUP_EVERY: '1s', LATCHKEY_BACKUP_KEEP: '2' });
    const server = await startHttpServer(admin);
    const first = (await nextProven(admin)).backups.at(-1)?.file ?? '';
    const folder = join(admin.folder, 'backups');
    await expect.poll(() => readdirSync(folder).includes(first.slice(folder.length + 1)), polling).toBe(false);
    await server.stop();
    expect(readdirSync(folder).filter((name) => !name.startsWith('latchkey-'))).toEqual([]);
    expect(readdirSync(folder)).toHaveLength(2);
    expect((await check(admin)).backups).toHaveLength(2);
  });

  it('leaves nothing behind when stopped during a backup, and takes another one at once after the next start', async () => {
    const { admin, server, folder } = await startWithBackups();
    await expect.poll(() => hiddenNames(admin.folder), { interval: 1 }).not.toEqual([]);
    await server.stop();
    expect([...hiddenNames(admin.folder), ...hiddenNames(folder)]).toEqual([]);
    const stoppedMs = Date.now();
    await startHttpServer(admin);
    expect((await nextProven(admin, stoppedMs)).problems).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')(
    'leaves nothing behind when stopped while SQLite keeps the backup process busy',
    async () => {
      const { admin, server, folder } = await startWithBackups();
      await expect.poll(() => freezeBackup(admin, folder), { interval: 1 }).toBe(true);
      await server.stop();
      expect([...hiddenNames(admin.folder), ...hiddenNames(folder)]).toEqual([]);
    },
  );

  it('takes one backup at a time, even with two servers on one database', async () => {
    const { admin } = await startWithBackups();
    await startHttpServer(admin);
    let most = 0;
    const watching = setInterval(() => {
      most = Math.max(most, hiddenNames(admin.folder).length);
    }, 10);
    onTestFinished(() => clearInterval(watching));
    const countProven = async () => (await check(admin)).backups.filter(({ proven_at }) => proven_at !== null).length;
    await expect.poll(countProven, polling).toBeGreaterThan(3);
    expect(most).toBeLessThanOrEqual(1);
    expect((await check(admin)).problems).toEqual([]);
  });
});

describe('a backup that fails', () => {
  it('is reported with its reason, the previous one is kept, and the server continues', async () => {
    const { admin, server, folder } = await startWithBackups({ LATCHKEY_BACKUP_KEEP: '1' });
    await nextProven(admin);
    const secrets = readFileSync(join(admin.folder, 'secrets.json'));
    const other = Buffer.alloc(32, 7).toString('base64url');
    writeFileSync(join(admin.folder, 'secrets.json'), JSON.stringify({ version: 1, master_key: other, pepper: other }));
    await expect.poll(async () => (await check(admin)).problems.join(), polling).toContain('the backup of ');
    const failed = await check(admin);
    expect(failed.problems.join()).toContain('belongs to another database');
    expect(failed.last_proven_restore).toMatch(isoDate);
    expect(readdirSync(folder).filter((name) => !name.startsWith('.'))).toHaveLength(1);
    // From now on, there may be two for a moment.
    writeFileSync(join(admin.folder, 'secrets.json'), secrets);
    expect((await server.request('GET', '/readyz')).status).toBe(200);
  });

  it('because the disk with the earlier ones is not mounted is reported, and the next one follows once it is', async () => {
    const { admin, server, folder } = await startWithBackups();
    await nextProven(admin);
    renameSync(folder, `${folder}.unmounted`);
    await expect
      .poll(async () => (await check(admin)).problems.join(), polling)
      .toContain(`${folder} is missing, with the earlier backups: mount its disk`);
    expect(existsSync(folder)).toBe(false);
    expect((await server.request('GET', '/readyz')).status).toBe(200);
    const mountedMs = Date.now();
    renameSync(`${folder}.unmounted`, folder);
    expect((await nextProven(admin, mountedMs)).problems).toEqual([]);
  });

  it('is reported if the database itself is damaged', async () => {
    const { admin, server, folder } = await startWithBackups();
    await nextProven(admin);
    const database = new DatabaseSync(join(admin.folder, 'latchkey.db'), { enableForeignKeyConstraints: false });
    database.exec(
      `insert into subscriptions select 'orphan', 'nobody', 'account', 'nobody', null, 0, 'standard', 'active', 0, 0, 0, 0, 0, 0, null`,
    );
    database.close();
    const said =
      /the backup failed: .+ could not be restored: .+ subscriptions → users refer to a row that does not exist/;
    await expect.poll(() => server.process.stderr(), polling).toMatch(said);
    await server.stop();
    expect([...hiddenNames(admin.folder), ...hiddenNames(folder)]).toEqual([]);
  });

  it('keeps the server from starting if its folder is a file, or its passphrase file is missing', async () => {
    const folder = join(temporaryFolder(), 'backups');
    writeFileSync(folder, 'precious');
    const start = (settings: Settings) =>
      runUntilExit({ LATCHKEY_DATA: temporaryFolder(), LATCHKEY_BACKUP_EVERY: '1h', ...settings });
    expect((await start({ LATCHKEY_BACKUP_FOLDER: folder })).stderr).toBe(
      `cannot start: LATCHKEY_BACKUP_FOLDER is wrong: ${folder} is a file, not a folder\n`,
    );
    expect(readFileSync(folder, 'utf8')).toBe('precious');
    expect((await start({ LATCHKEY_BACKUP_PASSPHRASE_FILE: `${folder}.key` })).stderr).toBe(
      `cannot start: LATCHKEY_BACKUP_PASSPHRASE_FILE is wrong: there is no file ${folder}.key\n`,
    );
  });

  it('because its file was changed after it was proven is found by check', async () => {
    const { admin, server, folder } = await startWithBackups();
    await nextProven(admin);
    await server.stop();
    for (const name of readdirSync(folder)) {
      const content = readFileSync(join(folder, name));
      content.fill(0xa5, 5000, 5010);
      writeFileSync(join(folder, name), content);
    }
    expect((await check(admin)).problems.join()).toContain('was changed or damaged');
  });
});

describe('an encrypted backup', () => {
  const passphrase = 'correct horse battery staple';

  it('can only be restored with its passphrase', async () => {
    const passphraseFile = join(temporaryFolder(), 'passphrase');
    writeFileSync(passphraseFile, `${passphrase}\n`, { mode: 0o600 });
    const { admin, server, folder } = await startWithBackups({ LATCHKEY_BACKUP_PASSPHRASE_FILE: passphraseFile });
    await admin.createUser('ada@example.com');
    const report = await nextProven(admin, Date.now() + 1000);
    expect(report.backups[0]).toMatchObject({ encryption: 'passphrase', file: expect.stringMatching(/\.tar\.age$/) });
    await server.stop();
    const file = newestIn(folder);
    expect(readFileSync(file).includes('SQLite format')).toBe(false);
    const other = createAdmin();
    expect(await other.failure(['restore', file])).toMatchObject({ code: 'KEY_REQUIRED' });
    expect(await other.failure(['restore', file, '--passphrase-stdin'], 'wrong')).toMatchObject({ code: 'WRONG_KEY' });
    expect(readdirSync(other.folder)).toEqual([]);
    await other.json(['restore', file, '--passphrase-stdin'], `${passphrase}\n`);
    expect(await other.json(['user', 'show', 'ada@example.com'])).toMatchObject({ email: 'ada@example.com' });
    // A server with the passphrase in its settings needs no option.
    expect((await restored(file, { LATCHKEY_BACKUP_PASSPHRASE_FILE: passphraseFile })).emails).toHaveLength(1);
  });

  it('can only be restored with the private key of its recipient', async () => {
    const identity = await generateX25519Identity();
    const { admin, server, folder } = await startWithBackups({
      LATCHKEY_BACKUP_RECIPIENT: await identityToRecipient(identity),
    });
    await nextProven(admin);
    await server.stop();
    const file = newestIn(folder);
    const [own, foreign] = ['own', 'foreign'].map((name) => join(temporaryFolder(), name));
    writeFileSync(own ?? '', `# created: today\n${identity}\n`);
    writeFileSync(foreign ?? '', `${await generateX25519Identity()}\n`);
    const other = createAdmin();
    expect(await other.failure(['restore', file])).toMatchObject({ code: 'KEY_REQUIRED' });
    expect(await other.failure(['restore', file, '--identity', foreign ?? ''])).toMatchObject({ code: 'WRONG_KEY' });
    await other.json(['restore', file, '--identity', own ?? '']);
    expect((await check(other)).problems).toEqual([]);
  });

  it('is also written by the backup command', async () => {
    const passphraseFile = join(temporaryFolder(), 'passphrase');
    writeFileSync(passphraseFile, passphrase, { mode: 0o600 });
    const admin = createAdmin({ LATCHKEY_BACKUP_PASSPHRASE_FILE: passphraseFile });
    await admin.createUser('ada@example.com');
    const file = join(temporaryFolder(), 'b.tar.age');
    expect(await admin.json(['backup', file])).toMatchObject({ encryption: 'passphrase' });
    const damaged = readFileSync(file);
    damaged.fill(0, damaged.length - 100);
    writeFileSync(`${file}.damaged`, damaged);
    expect(await admin.failure(['restore', `${file}.damaged`])).toMatchObject({ code: 'BACKUP_DAMAGED' });
    await admin.json(['restore', file]);
  });
});

function newestIn(folder: string): string {
  return join(folder, readdirSync(folder).toSorted().at(-1) ?? '');
}

/** Pauses the process that is writing a backup into this folder, if there is one. It can then only be killed. */
function freezeBackup(admin: Admin, folder: string): boolean {
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && isBackupInto(Number(name), folder));
  if (pid === undefined) return false;
  process.kill(Number(pid), 'SIGSTOP');
  // Before this file is there, its folder may belong to a process that is still creating it.
  if (hiddenNames(admin.folder).some((name) => existsSync(join(admin.folder, name, 'locked')))) return true;
  process.kill(Number(pid), 'SIGCONT');
  return false;
}

function isBackupInto(pid: number, folder: string): boolean {
  try {
    const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0');
    return (
      read('cmdline').some((word) => /backup-process\.[jt]s$/.test(word)) &&
      read('environ').includes(`LATCHKEY_BACKUP_FOLDER=${folder}`)
    );
  } catch {
    // The process has ended.
    return false;
  }
}

function hiddenNames(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith('.'));
  } catch {
    return [];
  }
}

const programs = findPostgres();

describe.skipIf(programs === undefined)('on PostgreSQL', () => {
  const postgres = sharedPostgres();

  it('a backup is proven in a SQLite file, and can be restored into another folder', async () => {
    const { admin, server, folder } = await startWithBackups({ DATABASE_URL: await postgres.createDatabase() });
    await admin.createUser('ada@example.com');
    expect((await nextProven(admin, Date.now() + 1000)).problems).toEqual([]);
    await server.stop();
    expect((await restored(newestIn(folder))).emails).toEqual(['ada@example.com']);
  });
});
