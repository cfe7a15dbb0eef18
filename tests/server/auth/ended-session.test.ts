/** An access token is good as long as its session and the password that it was issued under, on every endpoint, at once. */
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { type EndpointName, endpoints } from '../../../shared/api/endpoints.ts';
import { Admin } from '../../harness/admin.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { findPostgres } from '../../harness/postgres.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';
import { stringIn } from '../../harness/test-client.ts';
import { newDeviceId, signUp, subscriber, type User } from '../../harness/users.ts';

const server = sharedApp();

const bearerEndpoints = (Object.keys(endpoints) as EndpointName[]).filter((name) => endpoints[name].auth === 'bearer');
const newPassword = 'another quiet lantern 12';

async function statusWith(token: string): Promise<number> {
  return (await server.call('subscriptionStatus', { token })).status;
}

async function logIn({ email }: User, password: string): Promise<string> {
  return stringIn((await server.call('login', { body: { email, password } })).body, 'access_token');
}

async function expectInvalidEverywhere(token: string): Promise<void> {
  for (const name of bearerEndpoints) {
    const body = 'request' in endpoints[name] ? { license_key: 'x', device_id: newDeviceId() } : undefined;
    const response = await server.call(name, { token, body, at: 'x' });
    expect(response.status, name).toBe(401);
    expect(response.body, name).toStrictEqual(envelope('INVALID_TOKEN'));
  }
}

/** Each is something that ends the session of the user's token. */
const endings: readonly (readonly [string, (user: User) => Promise<unknown>])[] = [
  ['sign-out', ({ refreshToken }) => server.call('logout', { body: { refresh_token: refreshToken } })],
  [
    'sign-out of all devices on another device',
    async ({ email, password }) => {
      const { body } = await server.call('login', { body: { email, password } });
      await server.call('logout', { body: { refresh_token: body.refresh_token, all_devices: true } });
    },
  ],
  [
    'a refresh token that is used twice',
    async ({ refreshToken }) => {
      for (let turn = 0; turn < 2; turn++) await server.call('refresh', { body: { refresh_token: refreshToken } });
    },
  ],
  ['a new password', ({ email }) => server.services.passwords.set(email, newPassword, byCommand)],
];

describe.each(endings)('after %s', (_, end) => {
  it('the access token is INVALID_TOKEN on every endpoint', async () => {
    const user = await subscriber(server);
    // Used before, so that it is among the verified ones that are cached.
    expect(await statusWith(user.token)).toBe(200);
    await end(user);
    await expectInvalidEverywhere(user.token);
  });

  it('no API key can be made with the old access token', async () => {
    const user = await subscriber(server);
    await end(user);
    const { status } = await server.call('apiKey', { token: user.token, body: { regenerate: true } });
    expect(status).toBe(401);
  });
});

describe('an access token', () => {
  it('of another session stays good after a sign-out', async () => {
    const user = await signUp(server);
    const other = await logIn(user, user.password);
    await server.call('logout', { body: { refresh_token: user.refreshToken } });
    expect(await statusWith(other)).toBe(200);
  });

  it('stays good after a refresh, as the new one is', async () => {
    const user = await signUp(server);
    const { body } = await server.call('refresh', { body: { refresh_token: user.refreshToken } });
    expect(await statusWith(user.token)).toBe(200);
    expect(await statusWith(stringIn(body, 'access_token'))).toBe(200);
  });

  it('names its session, which stays the same when it is refreshed', async () => {
    const user = await signUp(server);
    const { body } = await server.call('refresh', { body: { refresh_token: user.refreshToken } });
    const sid = claimsOf(user.token).sid;
    expect(sid).toMatch(/^[0-9a-f-]{36}$/);
    expect(claimsOf(stringIn(body, 'access_token')).sid).toBe(sid);
    expect(claimsOf(await logIn(user, user.password)).sid).not.toBe(sid);
  });

  it('is INVALID_TOKEN without a session, as older versions issued it', async () => {
    const user = await signUp(server);
    const { sid: _, ...older } = claimsOf(user.token);
    const { kid, key } = await server.services.signingKeys.current();
    const token = await new SignJWT(older).setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid }).sign(key);
    expect((await server.call('subscriptionStatus', { token })).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('is INVALID_TOKEN with the session of another account', async () => {
    const [user, other] = [await signUp(server), await signUp(server)];
    const { kid, key } = await server.services.signingKeys.current();
    const claims = { ...claimsOf(user.token), sid: claimsOf(other.token).sid };
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid }).sign(key);
    expect((await server.call('subscriptionStatus', { token })).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  // The clock of the test does not move: all of it happens in one millisecond.
  it('of before a new password is INVALID_TOKEN, and one of after it is good, within the same millisecond', async () => {
    const user = await signUp(server);
    const nowMs = server.now();
    await server.services.passwords.set(user.email, newPassword, byCommand);
    const second = await logIn(user, newPassword);
    await server.services.passwords.set(user.email, user.password, byCommand);
    const third = await logIn(user, user.password);
    expect(server.now()).toBe(nowMs);
    expect(await Promise.all([user.token, second, third].map(statusWith))).toStrictEqual([401, 401, 200]);
  });

  it('of before a new password is INVALID_TOKEN even where its session goes on', async () => {
    const user = await signUp(server);
    await server.services.passwords.set(user.email, newPassword, byCommand);
    // As an endpoint would do that leaves the session which asked for the change.
    await server.database.write((transaction) =>
      transaction.updateTable('sessions').set({ revoked_at_ms: null }).where('user_id', '=', user.id).execute(),
    );
    expect(await statusWith(user.token)).toBe(401);
    const { body } = await server.call('refresh', { body: { refresh_token: user.refreshToken } });
    expect(await statusWith(stringIn(body, 'access_token'))).toBe(200);
  });
});

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

describe.skipIf(findPostgres() === undefined)('on PostgreSQL', { timeout: 120_000 }, () => {
  const postgres = sharedPostgres();

  // The database tells it at once; on a busy machine it is heard a moment later, and after a second nothing old is used.
  it('one server knows within a second what ended on another', async () => {
    const admin = new Admin(temporaryFolder(), { DATABASE_URL: await postgres.createDatabase() });
    const [one, other] = [await startHttpServer(admin), await startHttpServer(admin)];
    const user = await signUp(one);
    const status = async (token: string) => (await one.call('subscriptionStatus', { token })).status;
    expect(await status(user.token)).toBe(200);
    await other.call('logout', { body: { refresh_token: user.refreshToken } });
    await expect.poll(() => status(user.token), { timeout: 1000 }).toBe(401);
    const { body } = await other.call('login', { body: { email: user.email, password: user.password } });
    const token = stringIn(body, 'access_token');
    expect(await status(token)).toBe(200);
    await one.run(['user', 'password', user.email, '--password-stdin'], newPassword);
    await expect.poll(() => status(token), { timeout: 1000 }).toBe(401);
  });
});
