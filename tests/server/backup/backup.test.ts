/** `backup`: one file with a consistent database and its secrets, even while the server writes. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { list } from 'tar';
import { describe, expect, it } from 'vitest';
import { proofBy } from '../../../server/backup/verify-backup.ts';
import { systemClock } from '../../../server/clock.ts';
import { readConfig } from '../../../server/settings/config.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { createAdmin, temporaryFolder } from '../../harness/test-admin.ts';

const mode = (path: string) => statSync(path).mode & 0o777;

async function namesIn(file: string): Promise<string[]> {
  const names: string[] = [];
  await list({ file, onReadEntry: (entry) => names.push(entry.path) });
  return names;
}

describe('backup', () => {
  it('reports what it wrote, makes the file readable by its owner only, and leaves no other file', async () => {
    const admin = createAdmin();
    const folder = temporaryFolder();
    await admin.createUser('ada@example.com');
    const file = join(folder, 'today.tar');
    const report = await admin.json(['backup', file]);
    expect(report).toMatchObject({
      file,
      bytes: statSync(file).size,
      database: 'sqlite',
      rows: { users: 1, plans: 3 },
    });
    expect(report.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(mode(file)).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['today.tar']);
    expect(await namesIn(file)).toEqual(['manifest.json', 'secrets.json', 'latchkey.db']);
  });

  it('replaces a file only with --force', async () => {
    const admin = createAdmin();
    await admin.json(['plan', 'list']);
    const file = join(temporaryFolder(), 'b.tar');
    writeFileSync(file, 'precious');
    expect(await admin.failure(['backup', file])).toMatchObject({ code: 'FILE_EXISTS' });
    expect(readFileSync(file, 'utf8')).toBe('precious');
    await admin.json(['backup', file, '--force']);
    expect(await namesIn(file)).toContain('latchkey.db');
  });

  it('does not replace a device or pipe, even with --force', async () => {
    const admin = createAdmin();
    await admin.json(['plan', 'list']);
    const pipe = join(temporaryFolder(), 'pipe');
    spawnSync('mkfifo', [pipe]);
    expect(await admin.failure(['backup', pipe, '--force'])).toMatchObject({ code: 'FILE_EXISTS' });
    expect(statSync(pipe).isFIFO()).toBe(true);
  });

  it('does not replace a folder, even with --force', async () => {
    const admin = createAdmin();
    await admin.json(['plan', 'list']);
    const folder = temporaryFolder();
    for (const force of [[], ['--force']]) {
      const failure = await admin.failure(['backup', folder, ...force]);
      expect(failure).toMatchObject({ code: 'FILE_EXISTS', error: `${folder} is a folder: name a file in it.` });
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('fails without a database, and creates neither one nor its folder', async () => {
    const folder = join(temporaryFolder(), 'mistyped');
    const elsewhere = createAdmin({}, folder);
    expect(await elsewhere.failure(['backup', join(temporaryFolder(), 'b.tar')])).toMatchObject({ code: 'NOT_FOUND' });
    expect(existsSync(folder)).toBe(false);
    const admin = createAdmin();
    expect(await admin.failure(['backup', join(temporaryFolder(), 'b.tar')])).toMatchObject({ code: 'NOT_FOUND' });
    await admin.json(['plan', 'list']);
    const nowhere = join(temporaryFolder(), 'no', 'such', 'folder.tar');
    expect(await admin.failure(['backup', nowhere])).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('fails for a database that could not be restored', async () => {
    const admin = createAdmin();
    await admin.json(['plan', 'list']);
    const other = createAdmin();
    await other.json(['plan', 'list']);
    const secrets = join(admin.folder, 'secrets.json');
    rmSync(secrets);
    writeFileSync(secrets, readFileSync(join(other.folder, 'secrets.json')), { mode: 0o600 });
    const file = join(temporaryFolder(), 'b.tar');
    expect(await admin.failure(['backup', file])).toMatchObject({ code: 'CHECK_FAILED' });
    expect(existsSync(file)).toBe(false);
  });
});

it('a backup taken during sign-ups is complete and contains every sign-up acknowledged before it', async () => {
  const admin = createAdmin();
  const server = await startHttpServer(admin);
  const acknowledged: string[] = [];
  let going = true;
  const users = [1, 2, 3].map(async (lane) => {
    for (let number = 0; going; number++) {
      const email = `user-${lane}-${number}@example.com`;
      const { status } = await server.call('signup', { body: { email, password: 'a fine passphrase' } });
      if (status === 200) acknowledged.push(email);
    }
  });
  for (let round = 1; round <= 3; round++) {
    await expect.poll(() => acknowledged.length).toBeGreaterThan(round * 3);
    const file = join(temporaryFolder(), 'b.tar');
    const known = [...acknowledged];
    await admin.json(['backup', file]);
    const copy = createAdmin();
    await copy.json(['restore', file]);
    expect(await copy.json(['check'])).toMatchObject({ ok: true, problems: [] });
    const emails = (await copy.json<{ email: string }[]>(['user', 'list'])).map(({ email }) => email);
    expect(known.filter((email) => !emails.includes(email))).toEqual([]);
  }
  going = false;
  await Promise.all(users);
});

it('a proof fails for a backup with rows other than those backed up', async () => {
  const admin = createAdmin();
  await admin.createUser('ada@example.com');
  const file = join(temporaryFolder(), 'b.tar');
  const { rows } = await admin.json<{ rows: Record<string, number> }>(['backup', file]);
  const prove = proofBy(readConfig(admin.settings), systemClock);
  await prove(file, {}, rows);
  await expect(prove(file, {}, { ...rows, users: 2 })).rejects.toThrow('1 rows of users instead of 2');
});
