/** kill -9 while a restore replaces files: all of the old data or all of the new, never a mixture. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Admin } from '../harness/admin.ts';
import { childEnvironment, repository, serverProgram } from '../harness/environment.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';

const kills = Number(process.env.RESTORE_KILLS ?? 6);
const folder = makeTemporaryFolder();
const [present, other, data] = [join(folder, 'present'), join(folder, 'other'), join(folder, 'data')];
const backup = join(folder, 'backup.tar');

beforeAll(async () => {
  await new Admin(present).createUser('old@example.com');
  const stranger = new Admin(other);
  await stranger.createUser('new@example.com');
  await stranger.json(['backup', backup]);
});

afterAll(() => removeFolder(folder));

/** Kills the restore the given time after it has begun to change files. */
async function killRestore(afterMs: number): Promise<string | null> {
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { mode: 0o700 });
  cpSync(present, data, { recursive: true });
  const child = spawn(process.execPath, [serverProgram('admin'), 'restore', backup, '--foreign', '--json'], {
    cwd: repository,
    env: childEnvironment({ LATCHKEY_DATA: data }),
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  const isChanging = () => readdirSync(data).some((name) => name.startsWith('replaced-'));
  while (child.exitCode === null && !isChanging()) await new Promise((resolve) => setImmediate(resolve));
  const until = performance.now() + afterMs;
  while (performance.now() < until);
  child.kill('SIGKILL');
  const [, signal] = (await exited) as [number | null, string | null];
  return signal;
}

describe('a restore that is killed while it replaces files', () => {
  it(
    `leaves all of the old data or all of the new: ${kills} times`,
    async () => {
      const found = { old: 0, new: 0, finished: 0 };
      for (let kill = 0; kill < kills; kill++) {
        if ((await killRestore((kill % 20) * 0.6)) === null) found.finished++;
        const admin = new Admin(data);
        const users = await admin.json<{ email: string }[]>(['user', 'list']);
        expect(users).toHaveLength(1);
        expect(await admin.json(['check'])).toMatchObject({ ok: true, secrets: 'match' });
        found[users[0]?.email === 'new@example.com' ? 'new' : 'old']++;
      }
      if (process.env.RESTORE_KILLS) console.log(found);
      expect(found.old + found.new).toBe(kills);
    },
    60_000 + kills * 15_000,
  );

  it('is completed by the next start if the database was replaced but its secrets were not', async () => {
    rmSync(data, { recursive: true, force: true });
    cpSync(present, data, { recursive: true });
    cpSync(join(other, 'latchkey.db'), join(data, 'latchkey.db'));
    cpSync(join(other, 'secrets.json'), join(data, 'secrets.json.restored'));
    const admin = new Admin(data);
    expect(await admin.json(['user', 'list'])).toMatchObject([{ email: 'new@example.com' }]);
    expect(await admin.json(['check'])).toMatchObject({ ok: true, secrets: 'match' });
    expect(existsSync(join(data, 'secrets.json.restored'))).toBe(false);
  });

  it('leaves no secrets of the backup after the next start if the database was not replaced', async () => {
    rmSync(data, { recursive: true, force: true });
    cpSync(present, data, { recursive: true });
    const admin = new Admin(data);
    await admin.killAtRename(['restore', backup, '--foreign'], join(data, 'latchkey.db'));
    expect(existsSync(join(data, 'secrets.json.restored'))).toBe(true);
    expect(await admin.json(['user', 'list'])).toMatchObject([{ email: 'old@example.com' }]);
    expect(existsSync(join(data, 'secrets.json.restored'))).toBe(false);
    await admin.killAtRename(['restore', backup, '--foreign'], join(data, 'secrets.json.restored'));
    const listStaged = () => readdirSync(data).filter((name) => name.includes('restored'));
    expect(listStaged()).toHaveLength(1);
    expect(await admin.json(['user', 'list'])).toMatchObject([{ email: 'old@example.com' }]);
    expect(listStaged()).toEqual([]);
    await admin.json(['restore', backup, '--foreign']);
    expect(readdirSync(data).filter((name) => name.startsWith('.work.'))).toEqual([]);
  });

  it('is completed by the next start or another restore if the secrets were not yet in place', async () => {
    for (const words of [
      ['user', 'list'],
      ['restore', backup, '--foreign'],
    ]) {
      rmSync(data, { recursive: true, force: true });
      cpSync(present, data, { recursive: true });
      const admin = new Admin(data);
      await admin.killAtRename(['restore', backup, '--foreign'], join(data, 'secrets.json'));
      await admin.json(words);
      expect(await admin.json(['user', 'list'])).toMatchObject([{ email: 'new@example.com' }]);
      expect(await admin.json(['check'])).toMatchObject({ ok: true, secrets: 'match' });
      expect(existsSync(join(data, 'secrets.json.restored'))).toBe(false);
    }
  });

  it('locks out every other process until the new file is in place', async () => {
    rmSync(data, { recursive: true, force: true });
    cpSync(present, data, { recursive: true });
    const { SqliteStore } = await import('../../server/backup/sqlite-store.ts');
    const path = join(data, 'latchkey.db');
    const locked = await new SqliteStore(path).lock();
    const isLocked = () => {
      const connection = new DatabaseSync(path, { timeout: 0 });
      try {
        connection.exec('select 1 from users');
        return false;
      } catch (error) {
        return /locked/.test(String(error));
      } finally {
        connection.close();
      }
    };
    mkdirSync(join(folder, 'saved'), { mode: 0o700 });
    await locked.saveTo(join(folder, 'saved'));
    if (process.platform !== 'win32') expect(isLocked()).toBe(true);
    cpSync(join(other, 'latchkey.db'), join(folder, 'new.db'));
    await locked.replaceWith(join(folder, 'new.db'));
    expect(isLocked()).toBe(false);
    await locked[Symbol.asyncDispose]();
  });
});
