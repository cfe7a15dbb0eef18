/** `POST /auth/logout`: ends one session or all of them, and the response does not reveal whether a token was real. */
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { day } from '../../harness/fake-clock.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { auditActions, newStaff } from '../../harness/staff.ts';
import { sharedApp, startTestApp } from '../../harness/start-app.ts';
import { anotherSession, goodPassword, signUp } from '../../harness/users.ts';

const server = sharedApp();

function signOut(token: string, allDevices?: boolean, app = server) {
  const all = allDevices === undefined ? {} : { all_devices: allDevices };
  return app.call('logout', { body: { refresh_token: token, ...all } });
}

function refresh(token: string) {
  return server.call('refresh', { body: { refresh_token: token } });
}

describe('sign-out', () => {
  it('responds with 200 and success, and nothing else', async () => {
    const { status, body } = await signOut((await signUp(server)).refreshToken);
    expect(status).toBe(200);
    expect(body).toStrictEqual({ success: true });
  });

  it('ends the session: its token can no longer be refreshed', async () => {
    const { refreshToken } = await signUp(server);
    await signOut(refreshToken);
    expect((await refresh(refreshToken)).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('leaves the other devices signed in', async () => {
    const user = await signUp(server);
    const other = await anotherSession(server, user);
    await signOut(user.refreshToken);
    expect((await refresh(other)).status).toBe(200);
  });

  it('ends every session of the account if all_devices is set', async () => {
    const user = await signUp(server);
    const others = await Promise.all([anotherSession(server, user), anotherSession(server, user)]);
    expect((await signOut(user.refreshToken, true)).body).toStrictEqual({ success: true });
    for (const token of [user.refreshToken, ...others]) {
      expect((await refresh(token)).body).toStrictEqual(envelope('INVALID_TOKEN'));
    }
  });

  it('ends the sessions on the admin page only if all_devices is set', async () => {
    const { email, browser } = await newStaff(server, 'viewer');
    const session = { email, password: goodPassword };
    await signOut(await anotherSession(server, session), false);
    expect((await browser.call('staffSession')).status).toBe(200);
    await signOut(await anotherSession(server, session), true);
    expect((await browser.call('staffSession')).status).toBe(401);
  });

  it('on all devices does not affect other accounts', async () => {
    const [user, other] = await Promise.all([signUp(server), signUp(server)]);
    await signOut(user.refreshToken, true);
    expect((await refresh(other.refreshToken)).status).toBe(200);
  });

  it('on all devices requires a current token: one that has ended ends nothing', async () => {
    const user = await signUp(server);
    const other = await anotherSession(server, user);
    await signOut(user.refreshToken);
    await signOut(user.refreshToken, true);
    expect((await refresh(other)).status).toBe(200);
  });

  it('on all devices with a rotated token is rejected as INVALID_TOKEN, and ends only the session of that token', async () => {
    const user = await signUp(server);
    const rotated = await anotherSession(server, user);
    const current = String((await refresh(rotated)).body.refresh_token);
    const response = await signOut(rotated, true);
    expect(response.status).toBe(401);
    expect(response.body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect((await refresh(current)).body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect((await refresh(user.refreshToken)).status).toBe(200);
  });

  it('can be repeated', async () => {
    const { refreshToken } = await signUp(server);
    await signOut(refreshToken);
    expect((await signOut(refreshToken)).body).toStrictEqual({ success: true });
  });

  it('does not prevent a new sign-in', async () => {
    const user = await signUp(server);
    await signOut(user.refreshToken, true);
    expect((await refresh(await anotherSession(server, user))).status).toBe(200);
  });

  it.each(['', 'rubbish', `v1.${'A'.repeat(43)}`, 'v1.\ud83e'])(
    'treats the unknown token %j as no error',
    async (token) => {
      const { status, body } = await signOut(token);
      expect(status).toBe(200);
      expect(body).toStrictEqual({ success: true });
    },
  );
});

describe('sign-out on all devices', () => {
  it.each(['rubbish', `v1.${'A'.repeat(43)}`])('refuses the unknown token %j', async (token) => {
    const { status, body } = await signOut(token, true);
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('refuses a token at its expiry but not a millisecond before, and then ends only that session', async () => {
    const app = await startTestApp();
    const [late, early] = [await signUp(app), await signUp(app)];
    app.clock.advance(day);
    const others = [await anotherSession(app, late), await anotherSession(app, early)];
    app.clock.advance(6 * day - 1);
    expect((await signOut(early.refreshToken, true, app)).status).toBe(200);
    app.clock.advance(1);
    expect((await signOut(late.refreshToken, true, app)).body).toStrictEqual(envelope('INVALID_TOKEN'));
    const left = others.map((refresh_token) => app.call('refresh', { body: { refresh_token } }));
    expect((await Promise.all(left)).map(({ status }) => status)).toStrictEqual([200, 401]);
  });
});

describe('the audit log', () => {
  it('records a sign-out once, however often it is repeated, and whether it was for all devices', async () => {
    const app = await startTestApp();
    const user = await signUp(app);
    const other = await anotherSession(app, user);
    for (let times = 0; times < 2; times++) await signOut(other, false, app);
    for (let times = 0; times < 2; times++) await signOut(user.refreshToken, true, app);
    await signOut('rubbish', true, app);
    const of = { actor: user.email, target: `account ${user.email}`, address: '127.0.0.1' };
    expect(await auditActions(app, 'account.sign_out')).toMatchObject([
      { ...of, details: { all_devices: true } },
      { ...of, details: { all_devices: false } },
    ]);
  });

  it('has no entry about an account that was deleted before its sign-out on all devices', async () => {
    const app = await startTestApp();
    const { id } = await signUp(app);
    await app.services.accounts.removeById(id, byCommand);
    const user = { id, sessionId: id, isBrowser: true };
    await app.services.auth.signOut(user, { allDevices: true, address: '192.0.2.1' });
    expect(await auditActions(app, 'account.sign_out')).toEqual([]);
  });

  it('does not say all devices if the token ended only its own session', async () => {
    const app = await startTestApp();
    const user = await signUp(app);
    await app.call('refresh', { body: { refresh_token: user.refreshToken } });
    await signOut(user.refreshToken, true, app);
    expect(await auditActions(app, 'account.sign_out')).toMatchObject([{ details: { all_devices: false } }]);
  });
});
