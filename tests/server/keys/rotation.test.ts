/** New keys for access tokens and leases: nobody is signed out, and every process uses them immediately. */
import { describe, expect, it } from 'vitest';
import { byCommand, byServer } from '../../../server/audit/audit-event.ts';
import { createKeyRotationTask } from '../../../server/jobs.ts';
import type { AdminKey } from '../../../server/keys/key-rotation.service.ts';
import { systemScheduler } from '../../../server/scheduler.ts';
import { verifyLease } from '../../../shared/lease.ts';
import type { Admin } from '../../harness/admin.ts';
import { createFakeClock, day, hour } from '../../harness/fake-clock.ts';
import { type HttpServer, startHttpServer, waitUntilNoticed } from '../../harness/http-server.ts';
import { timestamp, uuid } from '../../harness/response-shapes.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { createAdmin, expectUsage } from '../../harness/test-admin.ts';
import { stringIn } from '../../harness/test-client.ts';
import { activate, issueLicense, signUp, type User } from '../../harness/users.ts';
import { describeEachDatabase, listEntries, withServices } from '../audit/databases.ts';

const kidOf = (token: string): string => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;

async function publishedKids(server: Pick<HttpServer, 'request'>): Promise<string[]> {
  const { body } = await server.request('GET', '/.well-known/jwks.json');
  return (body.keys as { kid: string }[]).map(({ kid }) => kid);
}

async function signIn(server: Pick<HttpServer, 'call'>, { email, password }: User): Promise<string> {
  return stringIn((await server.call('login', { body: { email, password } })).body, 'access_token');
}

/** Rotates keys, and waits until running servers have noticed. */
async function rotate(admin: Admin, ...words: string[]): Promise<AdminKey[]> {
  const keys = await admin.json<AdminKey[]>(['key', 'rotate', ...words]);
  await waitUntilNoticed(admin);
  return keys;
}

const list = (admin: Admin) => admin.json<AdminKey[]>(['key', 'list']);

describeEachDatabase((database) => {
  it('key rotate signs nobody out, and all processes sign with the new keys immediately', async () => {
    const admin = await database.createAdmin();
    const [one, two] = [await startHttpServer(admin), await startHttpServer(admin)];
    const user = await signUp(one);
    const { key } = await issueLicense(one, '--email', user.email);
    const { deviceId } = await activate(one, user, key);
    const body = { device_id: deviceId };
    const lease = stringIn((await one.call('lease', { token: user.token, body })).body, 'lease');
    // The other server also uses the previous key so far.
    expect(kidOf(await signIn(two, user))).toBe(kidOf(user.token));

    const created = await rotate(admin);
    expect(created.map(({ purpose }) => purpose)).toEqual(['access-token', 'lease']);
    const [accessKey, leaseKey] = created;
    for (const server of [two, one]) {
      expect(kidOf(await signIn(server, user))).toBe(accessKey?.kid);
      expect((await server.call('subscriptionStatus', { token: user.token })).status).toBe(200);
      const next = stringIn((await server.call('lease', { token: user.token, body })).body, 'lease');
      expect(kidOf(next)).toBe(leaseKey?.kid);
      expect(await publishedKids(server)).toEqual([leaseKey?.kid, kidOf(lease)]);
    }
    const refreshed = await two.call('refresh', { body: { refresh_token: user.refreshToken } });
    expect(kidOf(stringIn(refreshed.body, 'access_token'))).toBe(accessKey?.kid);
    const { body: jwks } = await two.request('GET', '/.well-known/jwks.json');
    const check = { jwks, deviceId, nowMs: Date.now(), subtle: crypto.subtle };
    expect((await verifyLease(lease, check)).valid).toBe(true);
  });

  it('a prepared lease key is published but signs nothing until the next rotation switches to it', async () => {
    const admin = await database.createAdmin();
    const server = await startHttpServer(admin);
    const user = await signUp(server);
    const { key } = await issueLicense(server, '--email', user.email);
    const { deviceId } = await activate(server, user, key);
    const leaseKid = async () => {
      const { body } = await server.call('lease', { token: user.token, body: { device_id: deviceId } });
      return kidOf(stringIn(body, 'lease'));
    };
    const present = await leaseKid();
    const [prepared, ...more] = await rotate(admin, '--purpose', 'lease', '--prepare');
    expect([prepared, more]).toMatchObject([{ purpose: 'lease', prepared: true, retires_at: null }, []]);
    expect(await rotate(admin, '--purpose', 'lease', '--prepare')).toEqual([prepared]);
    expect(new Set(await publishedKids(server))).toEqual(new Set([present, prepared?.kid]));
    expect(await leaseKid()).toBe(present);
    expect(await rotate(admin, '--purpose', 'lease')).toMatchObject([{ kid: prepared?.kid, retires_at: null }]);
    expect(await leaseKid()).toBe(prepared?.kid);
    expect(new Set(await publishedKids(server))).toEqual(new Set([present, prepared?.kid]));
    // An attacker who has copied the current key may have copied the next one as well.
    const [next] = await rotate(admin, '--purpose', 'lease', '--prepare');
    const [created] = await rotate(admin, '--purpose', 'lease', '--compromised');
    expect(created?.kid).not.toBe(next?.kid);
    expect(await leaseKid()).toBe(created?.kid);
    expect(await publishedKids(server)).toEqual([created?.kid]);
  });

  it('key rotate --compromised immediately revokes what the keys signed in every process, without new sign-ins', async () => {
    const admin = await database.createAdmin();
    const [one, two] = [await startHttpServer(admin), await startHttpServer(admin)];
    const user = await signUp(one);
    const { key } = await issueLicense(one, '--email', user.email);
    const { deviceId } = await activate(one, user, key);
    const body = { device_id: deviceId };
    const lease = stringIn((await one.call('lease', { token: user.token, body })).body, 'lease');
    // An earlier key is revoked together with its successor.
    await rotate(admin);
    for (const server of [one, two]) {
      expect((await server.call('subscriptionStatus', { token: user.token })).status).toBe(200);
    }
    const created = await rotate(admin, '--compromised');
    const left = (await list(admin)).filter(({ purpose }) => purpose === 'access-token' || purpose === 'lease');
    const kidsOf = (keys: readonly AdminKey[]) => keys.map(({ kid }) => kid).sort();
    expect(kidsOf(left)).toEqual(kidsOf(created));
    for (const server of [two, one]) {
      // On PostgreSQL a process on a busy machine may take a moment to notice the rotation.
      const statusOf = () => server.call('subscriptionStatus', { token: user.token });
      await expect.poll(async () => (await statusOf()).body.code).toBe('INVALID_TOKEN');
      expect((await statusOf()).status).toBe(401);
      expect(await publishedKids(server)).toEqual([created[1]?.kid]);
    }
    const { body: jwks } = await two.request('GET', '/.well-known/jwks.json');
    const check = { jwks, deviceId, nowMs: Date.now(), subtle: crypto.subtle };
    expect((await verifyLease(lease, check)).valid).toBe(false);
    const refreshed = await two.call('refresh', { body: { refresh_token: user.refreshToken } });
    const token = stringIn(refreshed.body, 'access_token');
    expect((await one.call('subscriptionStatus', { token })).status).toBe(200);
    expect((await listEntries(admin)).at(-1)).toMatchObject({ action: 'key.rotate', details: { compromised: true } });
    expectUsage(await admin.run(['key', 'rotate', '--purpose', 'master', '--compromised', '--json']));
  });

  it('key rotate replaces only one key if asked to, and records it in the audit log', async () => {
    const admin = await database.createAdmin();
    await startHttpServer(admin);
    const before = await list(admin);
    const [leaseKey] = await rotate(admin, '--purpose', 'lease');
    const after = await list(admin);
    const replaced = before.find(({ purpose }) => purpose === 'lease');
    expect(after).toEqual([
      leaseKey,
      ...before.map((key) => (key === replaced ? { ...key, retires_at: timestamp } : key)),
    ]);
    expect(leaseKey).toStrictEqual({
      id: leaseKey?.kid,
      kid: uuid,
      purpose: 'lease',
      algorithm: 'EdDSA',
      created_at: timestamp,
      retires_at: null,
    });
    expect((await listEntries(admin)).at(-1)).toMatchObject({
      action: 'key.rotate',
      actor: 'admin command',
      target: 'key lease',
      details: { kid: leaseKey?.kid, replaces: replaced?.kid },
    });
    const { keys } = await admin.json<{ keys: { purpose: string }[] }>(['check']);
    expect(keys).toContainEqual({
      purpose: 'lease',
      kid: leaseKey?.kid,
      created_at: leaseKey?.created_at,
      age_days: 0,
    });
    expect(keys.map(({ purpose }) => purpose).sort()).toEqual(['access-token', 'lease', 'master', 'pepper']);
  });

  it('a key stays published for as long as anything that it signed during its replacement', async () => {
    const admin = await database.createAdmin();
    const clock = createFakeClock(Date.now());
    await withServices(
      admin,
      async ({ leaseKeys, keyRotation }, deps) => {
        const key = await leaseKeys.current();
        await keyRotation.rotate(['lease'], byServer);
        await deps.database.write((transaction) => leaseKeys.cover(transaction, key, 400 * day));
        clock.advance(400 * day);
        expect((await leaseKeys.list()).map(({ kid }) => kid)).toContain(key.kid);
        clock.advance(day);
        expect((await leaseKeys.list()).map(({ kid }) => kid)).not.toContain(key.kid);
      },
      clock,
    );
  });

  it('two processes that find the same key too old replace it only once', async () => {
    const admin = await database.createAdmin();
    await (await startHttpServer(admin)).stop();
    const clock = createFakeClock(Date.now() + 30 * day);
    const rotateHere = () =>
      withServices(admin, ({ keyRotation }) => keyRotation.rotateOlderThan(7 * day, byServer), clock);
    const created = (await Promise.all([rotateHere(), rotateHere(), rotateHere()])).flat();
    expect(created.map(({ purpose }) => purpose)).toEqual(['access-token']);
    expect(await rotateHere()).toEqual([]);
  });
});

describe('an earlier key', () => {
  it('verifies signatures until the last one has expired, whatever the settings of the command are', async () => {
    const server = await startTestApp({ LATCHKEY_ACCESS_TOKEN_TTL: '3d' });
    const user = await signUp(server);
    const { key } = await issueLicense(server, '--email', user.email, '--plan', 'advanced');
    const { deviceId } = await activate(server, user, key);
    await server.admin('plan', 'set', 'advanced', '--lease-days', '60');
    await server.call('lease', { token: user.token, body: { device_id: deviceId } });
    await server.admin('plan', 'set', 'advanced', '--lease-days', '1');
    const [leaseKid] = await publishedKids(server);
    // The command knows neither the current nor the earlier settings of the server.
    await withServices(
      createAdmin({ LATCHKEY_DATA: server.dataFolder }),
      ({ keyRotation }) => keyRotation.rotate(['access-token', 'lease'], byCommand),
      server.clock,
    );

    server.clock.advance(3 * day - hour);
    expect((await server.call('subscriptionStatus', { token: user.token })).status).toBe(200);
    server.clock.advance(57 * day);
    expect(await publishedKids(server)).toContain(leaseKid);
    server.clock.advance(day);
    expect(await publishedKids(server)).not.toContain(leaseKid);
    await server.admin('key', 'rotate');
    const kept = await server.database.read.selectFrom('signing_keys').select('kid').execute();
    expect(kept.map(({ kid }) => kid)).not.toContain(leaseKid);
  });
});

describe('LATCHKEY_KEY_ROTATION', () => {
  it('replaces the keys of a running server', async () => {
    const admin = createAdmin({ LATCHKEY_KEY_ROTATION: '1s' });
    const server = await startHttpServer(admin);
    const user = await signUp(server);
    await expect.poll(async () => kidOf(await signIn(server, user))).not.toBe(kidOf(user.token));
    expect((await server.call('subscriptionStatus', { token: user.token })).status).toBe(200);
    // Apps may have the lease keys built in.
    expect(await publishedKids(server)).toHaveLength(1);
    const rotated = (await listEntries(admin)).find(({ action }) => action === 'key.rotate');
    expect(rotated).toMatchObject({ actor: 'server' });
  });

  it('logs a failure', async () => {
    const warnings: string[] = [];
    const rotateOlderThan = () => Promise.reject(new Error('the database is away'));
    const warn = (_fields: unknown, text?: string) => warnings.push(String(text));
    const task = createKeyRotationTask(day, {
      scheduler: systemScheduler,
      keyRotation: { rotateOlderThan },
      logger: { info() {}, warn },
    });
    task.start();
    await task.stop();
    expect(warnings).toEqual(['the keys could not be replaced; trying again later']);
  });

  it.each(['0', 'never', '7'])('is rejected if it is %s', async (value) => {
    const { error } = await createAdmin({ LATCHKEY_KEY_ROTATION: value }).failure(['key', 'list']);
    expect(error).toContain('LATCHKEY_KEY_ROTATION is wrong: it must be off, or a duration');
  });
});
