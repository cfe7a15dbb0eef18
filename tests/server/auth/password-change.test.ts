/**
 * `POST /auth/password`: a user who knows the password sets a new one, which ends everything signed in with the old
 * one.
 */
import { describe, expect, it } from 'vitest';
import { sendMails, startSmtpServer } from '../../harness/mails.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { sharedApp, startTestApp } from '../../harness/start-app.ts';
import { stringIn } from '../../harness/test-client.ts';
import { anotherSession, logInStatus, signUp, type User } from '../../harness/users.ts';

const server = sharedApp();
const newPassword = 'another quiet lantern 12';

function change(user: User, more: Record<string, unknown> = {}) {
  const body = { current_password: user.password, new_password: newPassword, ...more };
  return server.call('changePassword', { token: user.token, body });
}

function refresh(token: string) {
  return server.call('refresh', { body: { refresh_token: token } });
}

describe('a password change', () => {
  it('responds with 200 and success, and nothing else', async () => {
    const { status, body } = await change(await signUp(server));
    expect(status).toBe(200);
    expect(body).toStrictEqual({ success: true });
  });

  it('makes the new password the only valid one', async () => {
    const user = await signUp(server);
    await change(user);
    expect(await logInStatus(server, user)).toBe(401);
    expect(await logInStatus(server, { ...user, password: newPassword })).toBe(200);
  });

  it('ends every session and every access token', async () => {
    const user = await signUp(server);
    const other = await anotherSession(server, user);
    await change(user);
    for (const token of [user.refreshToken, other]) {
      expect((await refresh(token)).body).toStrictEqual(envelope('INVALID_TOKEN'));
    }
    expect((await server.call('subscriptionStatus', { token: user.token })).status).toBe(401);
  });

  it('keeps the session whose refresh token is given, which then needs a new access token', async () => {
    const user = await signUp(server);
    const other = await anotherSession(server, user);
    await change(user, { refresh_token: user.refreshToken });
    expect((await server.call('subscriptionStatus', { token: user.token })).body).toStrictEqual(
      envelope('INVALID_TOKEN'),
    );
    expect((await refresh(other)).status).toBe(401);
    const { status, body } = await refresh(user.refreshToken);
    expect(status).toBe(200);
    expect((await server.call('subscriptionStatus', { token: stringIn(body, 'access_token') })).status).toBe(200);
  });

  it('keeps no session for an unknown refresh token', async () => {
    const user = await signUp(server);
    expect((await change(user, { refresh_token: 'v1.unknown' })).status).toBe(200);
    expect((await refresh(user.refreshToken)).status).toBe(401);
  });

  it('keeps no session for a refresh token of another account, or one that was replaced', async () => {
    const [user, other] = [await signUp(server), await signUp(server)];
    await change(user, { refresh_token: other.refreshToken });
    expect((await refresh(user.refreshToken)).status).toBe(401);
    expect((await refresh(other.refreshToken)).status).toBe(200);
    const third = await signUp(server);
    const { body } = await refresh(third.refreshToken);
    await change(third, { refresh_token: third.refreshToken });
    expect((await refresh(stringIn(body, 'refresh_token'))).status).toBe(401);
  });

  it('is announced by mail, in the language of the user who made it', async () => {
    const smtp = await startSmtpServer();
    const app = await startTestApp({ LATCHKEY_SMTP_URL: smtp.url });
    const { token, password, email } = await signUp(app);
    const body = { current_password: password, new_password: newPassword };
    await app.call('changePassword', { token, body, headers: { 'accept-language': 'de' } });
    await sendMails(app);
    expect(smtp.mails).toMatchObject([{ to: email, subject: 'Ihr Passwort wurde geändert' }]);
  });

  it('refuses a wrong current password and changes nothing', async () => {
    const user = await signUp(server);
    const { status, body } = await change(user, { current_password: 'not the right lantern' });
    expect(status).toBe(401);
    expect(body).toStrictEqual({ error: 'The password is incorrect.', code: 'INVALID_CREDENTIALS' });
    expect(await logInStatus(server, user)).toBe(200);
    expect((await refresh(user.refreshToken)).status).toBe(200);
  });

  it.each([
    ['short', 'abc'],
    ['common', 'password123'],
    ['common, and only the server knows it', 'Brooklyn'],
    ['not a text', 12],
    ['missing', undefined],
  ])('refuses a new password that is %s', async (_, new_password) => {
    const user = await signUp(server);
    const { status, body } = await change(user, { new_password });
    expect(status).toBe(400);
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
    expect(await logInStatus(server, user)).toBe(200);
  });

  it('refuses the email address as the password', async () => {
    const user = await signUp(server);
    expect((await change(user, { new_password: user.email.toUpperCase() })).status).toBe(400);
  });

  it('is rate limited after 20 wrong passwords from unknown addresses', async () => {
    const { token } = await signUp(server);
    const body = { current_password: 'not the right lantern', new_password: newPassword };
    const tries = [];
    for (let index = 0; index < 21; index++) {
      tries.push((await server.call('changePassword', { token, body, from: `198.51.100.${index}` })).body.code);
    }
    expect(tries).toStrictEqual([...Array.from({ length: 20 }, () => 'INVALID_CREDENTIALS'), 'RATE_LIMITED']);
  });

  it('is recorded in the audit log, as is a wrong password', async () => {
    const user = await signUp(server);
    await change(user, { current_password: 'not the right lantern' });
    await change(user);
    await server.services.auditLog.close();
    await expect
      .poll(async () =>
        (await server.services.auditList.readPage({}, { limit: 50 })).rows.map(
          ({ target, action }) => `${target} ${action}`,
        ),
      )
      .toEqual(
        expect.arrayContaining([
          `account ${user.email} account.password_change`,
          `account ${user.email} account.sign_in_refused`,
        ]),
      );
  });
});
