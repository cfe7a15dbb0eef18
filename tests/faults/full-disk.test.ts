/** A full or read-only disk: refusals report it, and everything that was acknowledged is there afterwards. */
import { readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readMeta, saveMeta } from '../../server/database/meta.ts';
import { limitsOff } from '../harness/environment.ts';
import { startHttpServer } from '../harness/http-server.ts';
import { findPostgres, postgresOwner, query } from '../harness/postgres.ts';
import { sharedPostgres } from '../harness/shared-postgres.ts';
import { canMount, fillDisk, mountDisk, remountDisk } from '../harness/small-disk.ts';
import { startApp } from '../harness/start-app.ts';
import { runUntilExit } from '../harness/start-server.ts';
import { createAdmin, temporaryFolder } from '../harness/test-admin.ts';
import { goodPassword, newEmail, signUp } from '../harness/users.ts';

describe.skipIf(!canMount)('a full disk', () => {
  it('of the data: writes are refused, reads work, and every acknowledged write is there once there is space', async () => {
    const disk = mountDisk(16_384);
    const admin = createAdmin({}, join(disk, 'data'));
    const server = await startHttpServer(admin);
    const user = await signUp(server);
    const acknowledged = [user.email];
    const ballast = fillDisk(disk, 400_000);
    const signUpOnFullDisk = async () => {
      const email = newEmail();
      const { status, text } = await server.call('signup', { body: { email, password: goodPassword } });
      if (status === 200) acknowledged.push(email);
      else expect(status, text).toBe(503);
      return status;
    };
    for (let refusals = 0; refusals < 5; ) if ((await signUpOnFullDisk()) === 503) refusals += 1;
    expect(acknowledged.length).toBeGreaterThan(5);
    expect((await server.call('subscriptionStatus', { token: user.token })).status).toBe(200);
    const metrics = async () => (await server.request('GET', '/metrics')).text;
    // A small write of the server itself, which still has space, may be the last one.
    const metricsAfterRefusal = async () => ((await signUpOnFullDisk()) === 503 ? metrics() : '');
    await expect.poll(metricsAfterRefusal).toMatch(/^latchkey_database_up 0$/m);
    rmSync(ballast);
    expect((await server.request('GET', '/readyz')).status).toBe(200);
    const { email } = await signUp(server);
    expect(await metrics()).toMatch(/^latchkey_database_up 1$/m);
    await server.stop();
    const emails = new Set((await admin.json<{ email: string }[]>(['user', 'list'])).map((each) => each.email));
    expect([...acknowledged, email].filter((each) => !emails.has(each))).toEqual([]);
    expect(await admin.json(['check'])).toMatchObject({ problems: [] });
  });

  it('of the data: is not forgotten because of a transaction that stores nothing, nor while only a few bytes are free', async () => {
    const disk = mountDisk(8192);
    const app = await startApp({}, { dataFolder: join(disk, 'data') });
    onTestFinished(app.stop);
    const isReady = async () => (await app.request('GET', '/readyz')).status === 200;
    const isUp = async () => /^latchkey_database_up 1$/m.test((await app.request('GET', '/metrics')).text);
    const store = (bytes: number) =>
      app.database.write((transaction) => saveMeta(transaction, 'stored', 'x'.repeat(bytes)));
    expect([await isReady(), await isUp()]).toEqual([true, true]);
    const ballast = fillDisk(disk, 20_000);
    await expect(store(200_000)).rejects.toThrow();
    for (let round = 0; round < 3; round++) {
      await app.database.write((transaction) => readMeta(transaction, 'stored'));
      await store(1);
      expect([await isUp(), await isReady()]).toEqual([false, false]);
    }
    rmSync(ballast);
    // Nothing but the metrics finds out that there is space again.
    expect([await isUp(), await isReady()]).toEqual([true, true]);
  });

  it('of the data: a start and an admin command name the file and the disk', async () => {
    const disk = mountDisk(4096);
    const admin = createAdmin({}, join(disk, 'data'));
    await admin.json(['plan', 'list']);
    fillDisk(disk, 0);
    const reason = /^\S*latchkey\.db cannot be used \(.+\): check that its disk is not full and works/;
    expect(await admin.failure(['plan', 'list'])).toMatchObject({ error: expect.stringMatching(reason) });
    const { problems } = JSON.parse((await admin.runHere(['check', '--json'])).stdout);
    expect(problems).toEqual([expect.stringMatching(/^the disk of LATCHKEY_DATA \S+ is full/)]);
  });

  it('of the data, the output or the target: backup, export and move name the folder and leave nothing behind', async () => {
    const disk = mountDisk(4096);
    const [full, sound] = [createAdmin({}, join(disk, 'data')), createAdmin()];
    for (const admin of [full, sound]) await admin.createUser('ada@example.com');
    fillDisk(disk, 0);
    const before = readdirSync(disk, { recursive: true });
    const says = (folder: string) => ({
      code: 'NO_SPACE',
      error: expect.stringContaining(`disk of ${folder} is full`),
    });
    const elsewhere = join(temporaryFolder(), 'b.tar');
    expect(await full.failure(['backup', elsewhere])).toMatchObject(says(full.folder));
    expect(await sound.failure(['backup', join(disk, 'b.tar')])).toMatchObject(says(disk));
    expect(await sound.failure(['audit', 'export', join(disk, 'a.jsonl')])).toMatchObject(says(disk));
    expect(await sound.failure(['move-to', `sqlite:${full.folder}`])).toMatchObject({ code: 'FILE_EXISTS' });
    const target = join(disk, 'target');
    expect(await sound.failure(['move-to', `sqlite:${target}`])).toMatchObject(says(target));
    await sound.json(['backup', elsewhere]);
    expect(await full.failure(['restore', elsewhere, '--foreign'])).toMatchObject(says(full.folder));
    const ours = (name: string | Buffer) =>
      !['target', 'data/latchkey.db-shm', 'data/latchkey.db-wal'].includes(`${name}`);
    expect(readdirSync(disk, { recursive: true }).filter(ours)).toEqual(before.filter(ours));
  });

  it.each([0.3, 0.6, 0.9])(
    'of the data: a restore with space for %f of the backup says so, not that it is damaged',
    async (share) => {
      const disk = mountDisk(16_384);
      const admin = createAdmin({}, join(disk, 'data'));
      await admin.createUser('ada@example.com');
      const backup = join(temporaryFolder(), 'b.tar');
      await admin.json(['backup', backup]);
      fillDisk(disk, Math.floor(statSync(backup).size * share));
      expect(await admin.failure(['restore', backup])).toMatchObject({
        code: 'NO_SPACE',
        error: expect.stringContaining(`disk of ${admin.folder} is full`),
      });
    },
  );

  it('of the backups: it is logged and reported by check, no partial file is left, and the server continues', async () => {
    const disk = mountDisk(4096);
    const admin = createAdmin({ LATCHKEY_BACKUP_EVERY: '1s', LATCHKEY_BACKUP_FOLDER: join(disk, 'backups') });
    fillDisk(disk, 100_000);
    const server = await startHttpServer(admin);
    const check = async () => JSON.parse((await admin.runHere(['check', '--json'])).stdout);
    await expect.poll(async () => (await check()).problems.join()).toMatch(/failed: The disk of \S+ is full/);
    expect(await check()).toMatchObject({ ok: false, last_proven_restore: null });
    expect(server.process.stderr()).toContain('the backup failed');
    await signUp(server);
    await server.stop();
    expect(readdirSync(join(disk, 'backups'))).toEqual([]);
  });
});

const programs = findPostgres();

describe.skipIf(!canMount || programs === undefined)('a full disk of PostgreSQL', () => {
  const postgres = sharedPostgres();

  it('makes the server not ready, and is reported by check and the metrics, until there is space', async () => {
    const disk = mountDisk(32_768, postgresOwner());
    const url = await postgres.createDatabase();
    const name = new URL(url).pathname.slice(1);
    const other = url.replace(/\/\w+$/, '/postgres');
    await query(other, `create tablespace small location '${disk}'`);
    await query(other, `alter database ${name} set tablespace small`);
    const admin = createAdmin({ DATABASE_URL: url });
    const server = await startHttpServer(admin);
    const statusOf = async (path: string) => (await server.request('GET', path)).status;
    const problems = async () => JSON.parse((await admin.runHere(['check', '--json'])).stdout).problems;
    expect([await statusOf('/readyz'), await problems()]).toEqual([200, []]);
    const ballast = fillDisk(disk, 0);
    const signUpOnce = async () => {
      const answer = await server.call('signup', { body: { email: newEmail(), password: goodPassword } });
      return answer.status;
    };
    await expect.poll(signUpOnce).toBe(503);
    expect(await statusOf('/readyz')).toBe(503);
    expect((await server.request('GET', '/metrics')).text).toMatch(/^latchkey_database_up 0$/m);
    expect(await problems()).toEqual([
      expect.stringMatching(/^nothing new can be stored in postgres:.+No space left.+: free some space on its disk$/),
    ]);
    rmSync(ballast);
    expect([await statusOf('/readyz'), await problems()]).toEqual([200, []]);
    await signUp(server);
  });
});

describe.skipIf(!canMount)('a data disk without space for a second and third copy', () => {
  it('is left unchanged by a backup, which says how much space it needs', async () => {
    const disk = mountDisk(16_384);
    const admin = createAdmin({}, join(disk, 'data'));
    await admin.createUser('ada@example.com');
    fillDisk(disk, 300_000);
    const { bavail } = statfsSync(disk);
    const { error, code } = await admin.failure(['backup', join(temporaryFolder(), 'b.tar')]);
    expect(code).toBe('NO_SPACE');
    expect(error).toMatch(/needs about \d+ KB in .+, where \d+ KB are free/);
    expect(statfsSync(disk).bavail).toBe(bavail);
  });
});

describe.skipIf(!canMount)('a read-only disk', () => {
  it('of the data prevents the server from starting, with one sentence, and is left unchanged', async () => {
    const disk = mountDisk(16_384);
    const admin = createAdmin({}, join(disk, 'data'));
    await admin.createUser('ada@example.com');
    remountDisk(disk, 'ro');
    const { code, stderr } = await runUntilExit({ ...limitsOff, ...admin.settings });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^cannot start: .*\n$/);
    expect(stderr).toMatch(/read-?only/i);
    const empty = createAdmin({}, join(disk, 'other'));
    expect((await runUntilExit({ ...limitsOff, ...empty.settings })).stderr).toMatch(/^cannot start: .*read-only.*\n$/);
    remountDisk(disk, 'rw');
    expect(await admin.json(['check'])).toMatchObject({ problems: [], rows: { users: 1 } });
  });

  it('of the data is named by restore and move-to', async () => {
    const disk = mountDisk(16_384);
    const admin = createAdmin({}, join(disk, 'data'));
    await admin.createUser('ada@example.com');
    const backup = join(temporaryFolder(), 'b.tar');
    await admin.json(['backup', backup]);
    remountDisk(disk, 'ro');
    const error = expect.stringMatching(/^LATCHKEY_DATA is wrong: .+ cannot be used \(EROFS: read-only file system/);
    expect(await admin.failure(['restore', backup])).toMatchObject({ error });
    expect(await admin.failure(['move-to', `sqlite:${temporaryFolder()}`])).toMatchObject({ error });
  });

  it('of the data is reported by check --upgrade', async () => {
    const disk = mountDisk(16_384);
    const admin = createAdmin({}, join(disk, 'data'));
    await admin.createUser('ada@example.com');
    remountDisk(disk, 'ro');
    const { stdout } = await admin.runHere(['check', '--upgrade', '--json']);
    expect(JSON.parse(stdout).problems.join()).toMatch(/^nothing can be written to LATCHKEY_DATA .+EROFS/);
  });

  it('of the backups is reported by check, and the server continues', async () => {
    const disk = mountDisk(4096);
    remountDisk(disk, 'ro');
    const admin = createAdmin({ LATCHKEY_BACKUP_EVERY: '1s', LATCHKEY_BACKUP_FOLDER: join(disk, 'backups') });
    const server = await startHttpServer(admin);
    const problems = async (): Promise<string> =>
      JSON.parse((await admin.runHere(['check', '--json'])).stdout).problems.join('\n');
    await expect.poll(problems).toContain('failed: ');
    expect(await problems()).toContain('no backup can be written to');
    await signUp(server);
  });
});
