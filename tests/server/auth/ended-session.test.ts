/** Every endpoint refuses an access token as soon as its session ends or its password changes. */
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

/** Each of these ends the session of the user's token. */
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
  it('the access token is rejected as INVALID_TOKEN on every endpoint', async () => {
    const user = await subscriber(server);
    // Used beforehand, so that it is in the cache of verified tokens.
    expect(await statusWith(user.token)).toBe(200);
    await end(user);
    await expectInvalidEverywhere(user.token);
  });

  it('the old access token cannot create an API key', async () => {
    const user = await subscriber(server);
    await end(user);
    const { status } = await server.call('apiKey', { token: user.token, body: { regenerate: true } });
    expect(status).toBe(401);
  });
});

describe('an access token', () => {
  it('of another session stays valid after a sign-out', async () => {
    const user = await signUp(server);
    const other = await logIn(user, user.password);
    await server.call('logout', { body: { refresh_token: user.refreshToken } });
    expect(await statusWith(other)).toBe(200);
  });

  it('stays valid after a refresh, as does the new one', async () => {
    const user = await signUp(server);
    const { body } = await server.call('refresh', { body: { refresh_token: user.refreshToken } });
    expect(await statusWith(user.token)).toBe(200);
    expect(await statusWith(stringIn(body, 'access_token'))).toBe(200);
  });

  it('names its session, which stays the same after a refresh', async () => {
    const user = await signUp(server);
    const { body } = await server.call('refresh', { body: { refresh_token: user.refreshToken } });
    const sid = claimsOf(user.token).sid;
    expect(sid).toMatch(/^[0-9a-f-]{36}$/);
    expect(claimsOf(stringIn(body, 'access_token')).sid).toBe(sid);
    expect(claimsOf(await logIn(user, user.password)).sid).not.toBe(sid);
  });

  it('is rejected as INVALID_TOKEN if it names no session, as in older versions', async () => {
    const user = await signUp(server);
    const { sid: _, ...older } = claimsOf(user.token);
    const { kid, key } = await server.services.signingKeys.current();
    const token = await new SignJWT(older).setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid }).sign(key);
    expect((await server.call('subscriptionStatus', { token })).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('is rejected as INVALID_TOKEN with the session of another account', async () => {
    const [user, other] = [await signUp(server), await signUp(server)];
    const { kid, key } = await server.services.signingKeys.current();
    const claims = { ...claimsOf(user.token), sid: claimsOf(other.token).sid };
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid }).sign(key);
    expect((await server.call('subscriptionStatus', { token })).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  // The clock of the test does not advance, so all of this happens in one millisecond.
  it('from before a password change is rejected as INVALID_TOKEN, and one from after it works, in the same millisecond', async () => {
    const user = await signUp(server);
    const nowMs = server.now();
    await server.services.passwords.set(user.email, newPassword, byCommand);
    const second = await logIn(user, newPassword);
    await server.services.passwords.set(user.email, user.password, byCommand);
    const third = await logIn(user, user.password);
    expect(server.now()).toBe(nowMs);
    expect(await Promise.all([user.token, second, third].map(statusWith))).toStrictEqual([401, 401, 200]);
  });

  it('from before a password change is rejected as INVALID_TOKEN even if its session continues', async () => {
    const user = await signUp(server);
    await server.services.passwords.set(user.email, newPassword, byCommand);
    // As an endpoint would do that keeps the session which requested the change.
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

describe.skipIf(findPostgres() === undefined)('on PostgreSQL', () => {
  const postgres = sharedPostgres();

  // The database notifies the other server at once. Without that, it would trust what it knows for a second.
  it('a server soon learns of a session that ended on another server', async () => {
    const admin = new Admin(temporaryFolder(), { DATABASE_URL: await postgres.createDatabase() });
    const [one, other] = [await startHttpServer(admin), await startHttpServer(admin)];
    const user = await signUp(one);
    const status = async (token: string) => (await one.call('subscriptionStatus', { token })).status;
    expect(await status(user.token)).toBe(200);
    await other.call('logout', { body: { refresh_token: user.refreshToken } });
    await expect.poll(() => status(user.token), { timeout: 10_000 }).toBe(401);
    const { body } = await other.call('login', { body: { email: user.email, password: user.password } });
    const token = stringIn(body, 'access_token');
    expect(await status(token)).toBe(200);
    await one.run(['user', 'password', user.email, '--password-stdin'], newPassword);
    await expect.poll(() => status(token), { timeout: 10_000 }).toBe(401);
  });
});
