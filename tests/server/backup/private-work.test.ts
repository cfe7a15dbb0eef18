/** A backup is prepared in a private folder next to the database: nothing unencrypted ever enters the backup folder. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withWorkFolder } from '../../../server/backup/work-folder.ts';
import type { Admin } from '../../harness/admin.ts';
import { type HttpServer, startHttpServer } from '../../harness/http-server.ts';
import { findPostgres } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { createAdmin, temporaryFolder } from '../../harness/test-admin.ts';

const canary = 'canary-ada@example.com';
const polling = { interval: 50 };

type Setup = { readonly admin: Admin; readonly folder: string };

/** Creates a setup that encrypts its backups with a passphrase. */
async function createEncrypting(settings: Record<string, string> = {}): Promise<Setup> {
  const folder = join(temporaryFolder(), 'backups');
  mkdirSync(folder);
  const passphraseFile = join(temporaryFolder(), 'passphrase');
  writeFileSync(passphraseFile, 'correct horse battery staple', { mode: 0o600 });
  const admin = createAdmin({
    LATCHKEY_BACKUP_FOLDER: folder,
    LATCHKEY_BACKUP_PASSPHRASE_FILE: passphraseFile,
    ...settings,
  });
  await admin.createUser(canary);
  return { admin, folder };
}

/** Returns every file below a folder, even if files change in the meantime. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Returns the files below a folder that contain the canary, secrets or the SQLite header unencrypted. */
function findPlain(folder: string): string[] {
  return filesBelow(folder).filter((file) => {
    const content = read(file);
    return ['SQLite format 3', canary, '"master_key', 'latchkey-backup'].some((text) => content.includes(text));
  });
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    // The file no longer exists.
    return Buffer.alloc(0);
  }
}

/** Looks continuously for unencrypted files until the returned function is called, which returns what was found. */
function watchForPlain(folder: string): () => string[] {
  const found = new Set<string>();
  const timer = setInterval(() => {
    for (const file of findPlain(folder)) found.add(file);
  }, 2);
  onTestFinished(() => clearInterval(timer));
  return () => {
    clearInterval(timer);
    return [...found];
  };
}

const workFolders = ({ folder }: Admin) => readdirSync(folder).filter((name) => name.startsWith('.work.'));

/** Returns the id of the process that writes backups for this server. */
function findBackupProcess({ process: { process } }: HttpServer): number | undefined {
  const pid = readdirSync('/proc').find((name) => {
    if (!/^\d+$/.test(name)) return false;
    const stat = read(`/proc/${name}/stat`).toString();
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    return parent === process.pid && read(`/proc/${name}/cmdline`).includes('backup-process');
  });
  return pid === undefined ? undefined : Number(pid);
}

function describeBackups(settingsOf: () => Promise<Record<string, string>>): void {
  it('on a schedule never puts anything unencrypted into the backup folder', async () => {
    const { admin, folder } = await createEncrypting({ ...(await settingsOf()), LATCHKEY_BACKUP_EVERY: '1s' });
    const stopWatching = watchForPlain(folder);
    const server = await startHttpServer(admin);
    await expect
      .poll(() => filesBelow(folder).filter((file) => file.endsWith('.age')).length, polling)
      .toBeGreaterThan(0);
    await server.stop();
    expect(stopWatching()).toEqual([]);
    expect(workFolders(admin)).toEqual([]);
  });

  it('by command puts nothing unencrypted next to its file', async () => {
    const { admin, folder } = await createEncrypting(await settingsOf());
    const stopWatching = watchForPlain(folder);
    const { code, stderr } = await admin.run(['backup', join(folder, 'b.tar.age'), '--json']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stopWatching()).toEqual([]);
    expect(readdirSync(folder)).toEqual(['b.tar.age']);
    expect(workFolders(admin)).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')(
    'that is killed with its server leaves a private folder next to the database, which the next start removes',
    async () => {
      const { admin, folder } = await createEncrypting({ ...(await settingsOf()), LATCHKEY_BACKUP_EVERY: '1s' });
      const server = await startHttpServer(admin);
      // A paused process cannot clean up when its server is gone.
      const pid = await freezeInTheMiddle(server, admin);
      expect(findPlain(folder)).toEqual([]);
      const [left = ''] = workFolders(admin);
      expect(statSync(join(admin.folder, left)).mode & 0o777).toBe(0o700);
      process.kill(pid, 'SIGKILL');
      await server.process.kill();
      expect(workFolders(admin)).toEqual([left]);
      expect(findPlain(folder)).toEqual([]);

      const next = createAdmin({ ...admin.settings, LATCHKEY_BACKUP_EVERY: '' }, admin.folder);
      await startHttpServer(next);
      expect(workFolders(admin)).toEqual([]);
    },
  );
}

async function freezeInTheMiddle(server: HttpServer, admin: Admin): Promise<number> {
  let frozen: number | undefined;
  await expect
    .poll(
      () => {
        const pid = findBackupProcess(server);
        if (pid === undefined) return false;
        process.kill(pid, 'SIGSTOP');
        // The lock has two files.
        const isWorking = workFolders(admin).some((name) => filesBelow(join(admin.folder, name)).length > 2);
        if (isWorking) frozen = pid;
        else process.kill(pid, 'SIGCONT');
        return isWorking;
      },
      { interval: 1 },
    )
    .toBe(true);
  if (frozen === undefined) throw new Error('no backup was in progress');
  return frozen;
}

describe('an encrypted backup', () => {
  describe('of SQLite', () => describeBackups(async () => ({})));

  describe.skipIf(findPostgres() === undefined)('of PostgreSQL', () => {
    const postgres = sharedPostgres();
    describeBackups(async () => ({ DATABASE_URL: await postgres.createDatabase() }));
  });

  const otherDisk = '/dev/shm';
  const hasOtherDisk = statSync(otherDisk, { throwIfNoEntry: false })?.dev !== statSync(tmpdir()).dev;

  it.skipIf(process.platform !== 'linux' || !hasOtherDisk)('is copied if its folder is on another disk', async () => {
    const { admin } = await createEncrypting();
    const folder = join(otherDisk, `latchkey-test-${process.pid}`);
    mkdirSync(folder);
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const stopWatching = watchForPlain(folder);
    const file = join(folder, 'b.tar.age');
    expect(await admin.json(['backup', file])).toMatchObject({ encryption: 'passphrase' });
    expect(await admin.failure(['backup', file])).toMatchObject({ code: 'FILE_EXISTS' });
    await admin.json(['backup', file, '--force']);
    expect(stopWatching()).toEqual([]);
    expect(readdirSync(folder)).toEqual(['b.tar.age']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await admin.json(['restore', file]);
  });
});

describe('a private folder', () => {
  it('of a running process is left alone, and one of an ended process is removed', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.work.abandoned'));
    for (const file of ['lock', 'locked']) writeFileSync(join(folder, '.work.abandoned', file), '');
    const names = () => readdirSync(folder);
    await withWorkFolder(folder, async (own) => {
      await withWorkFolder(folder, async (other) => {
        expect(
          names()
            .map((name) => join(folder, name))
            .toSorted(),
        ).toEqual([own, other].toSorted());
      });
      expect(names()).toHaveLength(1);
    });
    expect(names()).toEqual([]);
  });

  it('of a process that has created its lock file but does not hold the lock yet is left alone', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.work.starts'));
    writeFileSync(join(folder, '.work.starts', 'lock'), '');
    await withWorkFolder(folder, async () => undefined);
    expect(readdirSync(folder)).toEqual(['.work.starts']);
  });
});
