/**
 * A SQLite file that is moved, deleted or replaced under the running server: requests are refused, and no acknowledged
 * write is lost.
 */
import { copyFileSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Admin } from '../harness/admin.ts';
import { limitsOff } from '../harness/environment.ts';
import { type HttpServer, openHttpServer, startHttpServer } from '../harness/http-server.ts';
import { runUntilExit } from '../harness/start-server.ts';
import { createAdmin, temporaryFolder } from '../harness/test-admin.ts';
import { goodPassword, newEmail, signUp } from '../harness/users.ts';

const database = 'latchkey.db';
const log = `${database}-wal`;

async function expectRefused(server: HttpServer): Promise<void> {
  const response = await server.call('signup', { body: { email: newEmail(), password: goodPassword } });
  expect(response.status, response.text).toBe(503);
  expect(response.body).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
  expect((await server.request('GET', '/readyz')).status).toBe(503);
  expect((await server.request('GET', '/healthz')).status).toBe(200);
}

async function expectStartRefused(admin: Admin): Promise<void> {
  const before = readdirSync(admin.folder);
  const { code, stderr } = await runUntilExit({ ...limitsOff, ...admin.settings });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^cannot start: .*latchkey\.db is missing, but .* shows that there was a database: .*\n$/);
  expect(await admin.failure(['user', 'list'])).toMatchObject({ code: 'CANNOT_START' });
  expect(readdirSync(admin.folder)).toEqual(before);
}

async function emailsOf(admin: Admin): Promise<Set<string>> {
  return new Set((await admin.json<{ email: string }[]>(['user', 'list'])).map(({ email }) => email));
}

describe('a database file under the running server', () => {
  it.each([
    ['that is moved away', database],
    ['whose log is moved away', log],
  ])('%s: writes are refused until it is back, and no new file is created', async (_, name) => {
    const admin = createAdmin();
    const server = await startHttpServer(admin);
    const { email } = await signUp(server);
    const [path, away] = [join(admin.folder, name), join(temporaryFolder(), name)];
    renameSync(path, away);
    await expectRefused(server);
    expect(existsSync(path)).toBe(false);
    expect(server.process.stderr()).toContain('was moved away or deleted while the server was using it');
    renameSync(away, path);
    const { email: later } = await signUp(server);
    await server.stop();
    expect(await emailsOf(admin)).toEqual(new Set([email, later]));
  });

  it('that is moved during writes, with the server stopped in the meantime, has every acknowledged write', async () => {
    const admin = createAdmin();
    const server = await openHttpServer(admin);
    const acknowledged: string[] = [];
    let refusals = 0;
    const clients = [1, 2, 3, 4].map(async () => {
      while (refusals < 20) {
        const email = newEmail();
        const { status } = await server.call('signup', { body: { email, password: goodPassword } });
        if (status === 200) acknowledged.push(email);
        else refusals += 1;
      }
    });
    await expect.poll(() => acknowledged.length, { interval: 1 }).toBeGreaterThan(20);
    const [path, away] = [join(admin.folder, database), join(temporaryFolder(), database)];
    renameSync(path, away);
    await Promise.all(clients);
    await server.stop();
    await expectStartRefused(admin);
    renameSync(away, path);
    const found = await emailsOf(admin);
    expect(acknowledged.filter((email) => !found.has(email))).toEqual([]);
    expect(await admin.json(['check'])).toMatchObject({ problems: [] });
  });

  it('that is deleted is not created again, and a backup can be restored in its place', async () => {
    const admin = createAdmin();
    const server = await openHttpServer(admin);
    const { email } = await signUp(server);
    const backup = join(temporaryFolder(), 'b.tar');
    await admin.json(['backup', backup]);
    rmSync(join(admin.folder, database));
    await expectRefused(server);
    expect(await admin.failure(['backup', `${backup}.2`])).toMatchObject({ code: 'NOT_FOUND' });
    expect(await admin.failure(['check'])).toMatchObject({ code: 'NOT_FOUND' });
    await server.stop();
    await expectStartRefused(admin);
    await admin.json(['restore', backup]);
    expect(await emailsOf(admin)).toEqual(new Set([email]));
  });

  it('that is replaced by a copy is not written to', async () => {
    const admin = createAdmin();
    const server = await startHttpServer(admin);
    await signUp(server);
    const [path, copy] = [join(admin.folder, database), join(temporaryFolder(), database)];
    copyFileSync(path, copy);
    renameSync(copy, path);
    await expectRefused(server);
    expect(server.process.stderr()).toContain('was replaced while the server was using it');
  });

  it('whose whole folder is moved is refused, and complete at its new location', async () => {
    const parent = temporaryFolder();
    const admin = createAdmin({}, join(parent, 'data'));
    const server = await openHttpServer(admin);
    const { email } = await signUp(server);
    renameSync(join(parent, 'data'), join(parent, 'moved'));
    await expectRefused(server);
    expect(existsSync(join(parent, 'data'))).toBe(false);
    await server.stop();
    expect(await emailsOf(createAdmin({}, join(parent, 'moved')))).toEqual(new Set([email]));
  });
});

describe('a data folder', () => {
  it.each([
    ['with the secrets of a database that is gone', 'secrets.json'],
    ['with the log of a database that is gone', log],
  ])('%s gets no new empty database', async (_, left) => {
    const admin = createAdmin();
    const server = await openHttpServer(admin);
    await signUp(server);
    // A crash leaves the write-ahead log.
    await server.process.kill();
    for (const name of readdirSync(admin.folder)) if (name !== left) rmSync(join(admin.folder, name));
    await expectStartRefused(admin);
  });
});
