/**
 * The session of the account page: a cookie that is accepted only from pages of this server and ends like any other
 * session.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { hour, minute, second } from '../../harness/fake-clock.ts';
import { auditActions, newStaff } from '../../harness/staff.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { stringIn } from '../../harness/test-client.ts';
import { goodPassword as password, signUp, type User } from '../../harness/users.ts';

type App = Awaited<ReturnType<typeof startTestApp>>;
const path = '/api/v1/account/session';
const sameOrigin = { 'sec-fetch-site': 'same-origin' };

async function signIn(app: App, { email }: Pick<User, 'email'>, headers: Readonly<Record<string, string>> = {}) {
  const body = JSON.stringify({ email, password });
  const json = { 'content-type': 'application/json' };
  const response = await app.request('POST', path, { body, headers: { ...json, ...sameOrigin, ...headers } });
  const set = response.headers.get('set-cookie') ?? '';
  return { ...response, set, cookie: set.split(';')[0] ?? '' };
}

function send(
  app: App,
  method: string,
  url: string,
  cookie: string,
  headers: Readonly<Record<string, string>> = sameOrigin,
  body?: object,
) {
  return app.request(method, `/api/v1${url}`, {
    headers: { cookie, ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function start(settings: Record<string, string> = {}) {
  const app = await startTestApp(settings);
  const user = await signUp(app);
  return { app, user, ...(await signIn(app, user)) };
}

describe('the cookie', () => {
  it('is HttpOnly and SameSite=Strict, and has its prefix and Secure over TLS', async () => {
    const { app, user, set, status, body } = await start();
    expect(status).toBe(200);
    expect(body).toEqual({ user: { id: user.id, email: user.email, full_name: '' } });
    expect(set).toMatch(/^latchkey_account=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
    const secure = await startTestApp({
      LATCHKEY_PUBLIC_URL: 'https://lab.example',
      LATCHKEY_TRUST_PROXY: '127.0.0.1',
    });
    const other = await signUp(secure);
    expect((await signIn(secure, other, { host: 'lab.example', 'x-forwarded-proto': 'https' })).set).toMatch(
      /^__Host-latchkey_account=.*; Secure; SameSite=Strict$/,
    );
    expect((await send(app, 'GET', '/account/session', `latchkey_account=${'x'.repeat(43)}`)).status).toBe(401);
  });

  it('belongs to a session that is listed with its browser, even if the browser sends no User-Agent', async () => {
    const { app, user } = await start();
    for (const agent of ['Studio Browser/1.0', '']) {
      app.clock.advance(minute);
      await signIn(app, user, { 'user-agent': agent });
    }
    const { body } = await app.call('sessions', { token: user.token });
    const agents = (body.sessions as readonly { user_agent: string }[]).map(({ user_agent }) => user_agent);
    // The session of this request comes first.
    expect(agents.slice(1, 3)).toStrictEqual(['', 'Studio Browser/1.0']);
  });

  it('can be used instead of a Bearer token', async () => {
    const { app, cookie, user } = await start();
    expect((await send(app, 'GET', '/account/session', cookie)).body).toMatchObject({ user: { email: user.email } });
    expect((await send(app, 'GET', '/subscription/status', cookie)).status).toBe(200);
    expect((await send(app, 'GET', '/auth/sessions', cookie)).body.sessions).toEqual([
      expect.objectContaining({ current: true }),
      expect.objectContaining({ current: false }),
    ]);
  });

  it('is ignored if the request has an Authorization header', async () => {
    const { app, cookie } = await start();
    const headers = { ...sameOrigin, authorization: 'Bearer nonsense' };
    expect((await send(app, 'GET', '/subscription/status', cookie, headers)).status).toBe(401);
  });

  it.each([
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of another host of the same site', { 'sec-fetch-site': 'same-site' }],
    ['of an older browser on another site', { origin: 'https://evil.example' }],
    ['that names no page', {}],
  ])('is not accepted for a change sent by a page %s', async (_, headers) => {
    const { app, user, cookie } = await start();
    expect(await send(app, 'POST', '/metrics/api-key', cookie, headers, {})).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
    expect((await signIn(app, user, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  it('is not a refresh token, and a refresh token is not accepted as the cookie', async () => {
    const { app, cookie, user } = await start();
    const refresh_token = cookie.split('=')[1];
    expect((await app.call('refresh', { body: { refresh_token } })).status).toBe(401);
    expect((await send(app, 'GET', '/account/session', `latchkey_account=${user.refreshToken}`)).status).toBe(401);
  });

  it('is neither set nor accepted if there is no account page', async () => {
    const app = await startTestApp({ LATCHKEY_ACCOUNT_PAGE: '0' });
    const user = await signUp(app);
    expect((await signIn(app, user)).status).toBe(404);
    expect((await app.request('GET', '/account')).status).toBe(404);
    expect((await send(app, 'GET', '/subscription/status', 'latchkey_account=x')).status).toBe(401);
  });
});

describe('the session', () => {
  it('is still accepted while the time of its use cannot be written', async () => {
    const { app, user, cookie } = await start();
    app.clock.advance(20 * minute);
    const other = new DatabaseSync(join(app.dataFolder, 'latchkey.db'));
    other.exec('begin immediate');
    // The database makes no progress, so later writes are refused at once.
    const waiting = app.call('login', { body: { email: user.email, password } });
    await expect.poll(() => app.database.writeStatistics.waiting).toBe(1);
    app.clock.advance(6 * second);
    expect((await send(app, 'GET', '/account/session', cookie)).status).toBe(200);
    other.exec('rollback');
    other.close();
    await waiting;
  });

  it.each([false, true])('is ended with an entry in the audit log (all devices: %s)', async (all_devices) => {
    const { app, cookie } = await start();
    const ended = await send(app, 'POST', '/account/session/end', cookie, sameOrigin, { all_devices });
    expect(ended.status).toBe(200);
    expect(await auditActions(app, 'account.sign_out')).toMatchObject([{ details: { all_devices } }]);
  });

  it('ends half an hour after its last use, and twelve hours after the sign-in', async () => {
    const { app, cookie } = await start();
    app.clock.advance(29 * minute);
    expect((await send(app, 'GET', '/account/session', cookie)).status).toBe(200);
    for (let used = 0; used < 28; used += 1) {
      app.clock.advance(24 * minute);
      await send(app, 'GET', '/account/session', cookie);
    }
    expect((await send(app, 'GET', '/account/session', cookie)).status).toBe(200);
    app.clock.advance(29 * minute);
    expect((await send(app, 'GET', '/account/session', cookie)).status).toBe(401);
    const { app: other, cookie: idle } = await start();
    other.clock.advance(30 * minute);
    expect((await send(other, 'GET', '/account/session', idle)).status).toBe(401);
  });

  it('ends with a new sign-in in the same browser, a sign-out, or the deletion of the account', async () => {
    const { app, user, cookie } = await start();
    const again = await signIn(app, user, { cookie });
    expect((await send(app, 'GET', '/account/session', cookie)).status).toBe(401);
    const out = await send(app, 'POST', '/account/session/end', again.cookie, sameOrigin, { all_devices: false });
    expect(out.headers.get('set-cookie')).toMatch(/^latchkey_account=; Max-Age=0/);
    expect((await send(app, 'GET', '/account/session', again.cookie)).status).toBe(401);
    expect((await app.call('subscriptionStatus', { token: user.token })).status).toBe(200);
    const last = await signIn(app, user);
    await send(app, 'POST', '/auth/account/delete', last.cookie, sameOrigin, { password });
    expect((await send(app, 'GET', '/account/session', last.cookie)).status).toBe(401);
  });

  it('ends every session of the account with a sign-out on all devices', async () => {
    const { app, user, cookie } = await start();
    const other = await signIn(app, user);
    await send(app, 'POST', '/account/session/end', cookie, sameOrigin, { all_devices: true });
    for (const each of [cookie, other.cookie]) {
      expect((await send(app, 'GET', '/account/session', each)).status).toBe(401);
    }
    expect((await app.call('subscriptionStatus', { token: user.token })).status).toBe(401);
  });

  it('ends the sessions on the admin page with a sign-out on all devices', async () => {
    const { app } = await start();
    const { email, browser } = await newStaff(app, 'viewer');
    const { cookie } = await signIn(app, { email });
    await send(app, 'POST', '/account/session/end', cookie, sameOrigin, { all_devices: true });
    expect((await browser.call('staffSession')).status).toBe(401);
  });

  it('survives its own password change, which ends every other session, and ends with the deletion of the account', async () => {
    const { app, user, cookie } = await start();
    const other = await signIn(app, user);
    const change = { current_password: password, new_password: 'another quiet lantern 12' };
    expect((await send(app, 'POST', '/auth/password', cookie, sameOrigin, change)).status).toBe(200);
    expect((await send(app, 'GET', '/account/session', cookie)).status).toBe(200);
    expect((await send(app, 'GET', '/account/session', other.cookie)).status).toBe(401);
    expect((await app.call('subscriptionStatus', { token: user.token })).status).toBe(401);
    await app.admin('user', 'delete', user.email);
    expect((await send(app, 'GET', '/account/session', cookie)).status).toBe(401);
  });

  it('is listed with the time of its last use, and no longer listed after it has expired', async () => {
    const { app, user, cookie } = await start();
    app.clock.advance(10 * minute);
    await send(app, 'GET', '/account/session', cookie);
    const { body } = await app.call('sessions', { token: user.token });
    const [, listed] = body.sessions as { session_id: string; created_at: string; last_used_at: string }[];
    if (!listed) throw new Error('the session is not listed');
    expect(Date.parse(listed.last_used_at) - Date.parse(listed.created_at)).toBe(10 * minute);
    app.clock.advance(hour);
    expect((await app.call('sessions', { token: await signInAgain(app, user) })).body.sessions).not.toContainEqual(
      expect.objectContaining({ session_id: listed.session_id }),
    );
  });
});

it('the use of a session is written at most once a minute', async () => {
  const { app, cookie } = await start();
  const lastUse = () => app.database.read.selectFrom('browser_sessions').select('last_used_at_ms').execute();
  const firstUse = await lastUse();
  app.clock.advance(minute - 1);
  await send(app, 'GET', '/account/session', cookie);
  expect(await lastUse()).toStrictEqual(firstUse);
  app.clock.advance(1);
  await send(app, 'GET', '/account/session', cookie);
  expect(await lastUse()).toEqual([{ last_used_at_ms: app.now() }]);
});

async function signInAgain(app: App, { email }: User): Promise<string> {
  return stringIn((await app.call('login', { body: { email, password } })).body, 'access_token');
}
