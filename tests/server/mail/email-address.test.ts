/** The email address of an account: confirmed by a mailed link, and changed by a link sent to the new address. */
import { describe, expect, it } from 'vitest';
import { day, minute } from '../../harness/fake-clock.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { sendMails, startAppWithMail, startSmtpServer } from '../../harness/mails.ts';
import { envelope } from '../../harness/response-shapes.ts';
import type { SmtpServer } from '../../harness/smtp-server.ts';
import { auditActions } from '../../harness/staff.ts';
import { startApp, startTestApp } from '../../harness/start-app.ts';
import { removeFolder } from '../../harness/temporary-folder.ts';
import type { TestServer } from '../../harness/test-server.ts';
import { goodPassword, logInStatus, newEmail, signUp, type User } from '../../harness/users.ts';
import { describeEachDatabase } from '../audit/databases.ts';

function change(server: TestServer, { token, password }: User, email: string, given = password) {
  return server.call('changeEmail', { token, body: { email, password: given } });
}

function confirm(server: TestServer, token: string) {
  return server.call('confirmEmail', { body: { token } });
}

function tokenTo(smtp: SmtpServer, email: string): string {
  const mails = smtp.mails.filter(({ to, text }) => to === email && text.includes('/confirm#token='));
  return /\/confirm#token=([\w-]+)/.exec(mails.at(-1)?.text ?? '')?.[1] ?? '';
}

describeEachDatabase((database) => {
  it('an address changes once the new one is confirmed, and the old one is notified', async () => {
    const smtp = await startSmtpServer();
    const admin = await database.createAdmin();
    Object.assign(admin.settings, { LATCHKEY_SMTP_URL: smtp.url });
    const server = await startHttpServer(admin);
    const user = await signUp(server);
    const next = newEmail();
    expect((await change(server, user, next)).body).toStrictEqual({ success: true });
    await smtp.waitFor(next);
    expect((await smtp.waitFor(user.email))[0]?.subject).toBe('Your email address is about to change');
    expect(await logInStatus(server, user)).toBe(200);
    const { status, body } = await confirm(server, tokenTo(smtp, next));
    expect([status, body]).toStrictEqual([200, { success: true, email: next }]);
    expect(await logInStatus(server, user)).toBe(404);
    expect(await logInStatus(server, { email: next, password: goodPassword })).toBe(200);
    expect((await smtp.waitFor(user.email, 2))[1]?.text).toContain(next);
    const { body: exported } = await server.call('exportAccount', { token: user.token });
    expect(exported.account).toMatchObject({ email: next, email_confirmed_at: expect.any(String) });
    expect((await confirm(server, tokenTo(smtp, next))).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });
});

describe('a change of the address', () => {
  it('is in the audit log as soon as it is requested', async () => {
    const { app } = await startAppWithMail();
    const user = await signUp(app);
    await change(app, user, newEmail(), 'wrong');
    await change(app, user, newEmail());
    expect(await auditActions(app, 'account.email_change_request')).toMatchObject([
      { actor: user.email, target: `account ${user.email}`, address: expect.any(String) },
    ]);
  });

  it('requires the password, a valid and unused address, and a mail server', async () => {
    const { app } = await startAppWithMail();
    const [user, other] = [await signUp(app), await signUp(app)];
    expect((await change(app, user, newEmail(), 'wrong')).body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
    expect((await change(app, user, 'nobody')).body).toStrictEqual(envelope('VALIDATION_ERROR'));
    expect((await change(app, user, other.email.toUpperCase())).body).toStrictEqual(envelope('EMAIL_EXISTS'));
    expect(await app.database.read.selectFrom('mails').select('id').execute()).toEqual([]);
    const without = await startTestApp();
    expect((await change(without, await signUp(without), newEmail())).status).toBe(404);
    expect((await confirm(without, 'x')).status).toBe(404);
    const { token } = await signUp(without);
    expect((await without.call('emailStatus', { token })).status).toBe(404);
    expect((await without.call('sendEmailConfirmation', { token })).status).toBe(404);
  });

  it('is canceled by a change of the password, whether or not the mail had been sent', async () => {
    const { smtp, app, send } = await startAppWithMail();
    for (const isSent of [true, false]) {
      const user = await signUp(app);
      const next = newEmail();
      await change(app, user, next);
      if (isSent) await send();
      const body = { current_password: user.password, new_password: 'another quiet lantern 12' };
      expect((await app.call('changePassword', { token: user.token, body })).status).toBe(200);
      await send();
      expect(smtp.mails.some(({ to }) => to === next)).toBe(isSent);
      expect((await confirm(app, tokenTo(smtp, next))).status).toBe(401);
    }
  });

  it('is mailed for each account that requests the same address, even while the mail of another one waits', async () => {
    const { smtp, app, send } = await startAppWithMail();
    const [first, second] = [await signUp(app), await signUp(app)];
    const next = newEmail();
    for (const user of [first, second, second]) await change(app, user, next);
    await send();
    expect(smtp.mails.filter(({ to }) => to === next)).toHaveLength(2);
    expect((await confirm(app, tokenTo(smtp, next))).status).toBe(200);
  });

  it('is mailed if it is requested again after a new password, even while the mail of the canceled one waits', async () => {
    const { smtp, app, send } = await startAppWithMail();
    const user = await signUp(app);
    const next = newEmail();
    await change(app, user, next);
    const password = 'another quiet lantern 12';
    const body = { current_password: user.password, new_password: password };
    await app.call('changePassword', { token: user.token, body });
    const { body: signedIn } = await app.call('login', { body: { email: user.email, password } });
    await change(app, { ...user, token: String(signedIn.access_token) }, next, password);
    await send();
    expect((await confirm(app, tokenTo(smtp, next))).body).toStrictEqual({ success: true, email: next });
  });

  it('happens once even if the link is opened twice at once', async () => {
    const { smtp, app, send } = await startAppWithMail();
    const user = await signUp(app);
    const next = newEmail();
    await change(app, user, next);
    await send();
    const token = tokenTo(smtp, next);
    const statuses = (await Promise.all([confirm(app, token), confirm(app, token)])).map(({ status }) => status);
    expect(statuses.toSorted()).toStrictEqual([200, 401]);
  });

  it('changes nothing if another account has taken the address in the meantime', async () => {
    const { smtp, app, send } = await startAppWithMail();
    const user = await signUp(app);
    const next = newEmail();
    await change(app, user, next);
    await send();
    await signUp(app, next);
    expect((await confirm(app, tokenTo(smtp, next))).body).toStrictEqual(envelope('EMAIL_EXISTS'));
    expect(await logInStatus(app, user)).toBe(200);
  });

  it('invalidates the links sent to the old address', async () => {
    const { smtp, app, send } = await startAppWithMail();
    const user = await signUp(app);
    await app.call('forgotPassword', { body: { email: user.email } });
    await send();
    const reset = /\/reset#token=([\w-]+)/.exec(smtp.mails.at(-1)?.text ?? '')?.[1] ?? '';
    const next = newEmail();
    await change(app, user, next);
    await send();
    await confirm(app, tokenTo(smtp, next));
    const body = { token: reset, new_password: 'another quiet lantern 12' };
    expect((await app.call('resetPassword', { body })).status).toBe(401);
  });
});

describe('if new accounts are asked to confirm their address', () => {
  const settings = { LATCHKEY_CONFIRM_EMAIL: '1', LATCHKEY_TRIAL_PLAN: 'standard', LATCHKEY_TRIAL_DAYS: '7' };

  const planOf = async (server: TestServer, { token }: User) =>
    (await server.call('subscriptionStatus', { token })).body.subscription;

  it('sign-up returns tokens immediately, and the trial starts once with the confirmation', async () => {
    const { smtp, app, send } = await startAppWithMail(settings);
    const user = await signUp(app);
    expect(await planOf(app, user)).toBeNull();
    await send();
    const token = tokenTo(smtp, user.email);
    app.clock.advance(30 * minute);
    expect((await confirm(app, token)).body).toStrictEqual({ success: true, email: user.email });
    expect(await planOf(app, user)).toMatchObject({ plan: 'standard', status: 'trialing' });
    app.clock.advance(8 * day);
    const { body } = await app.call('login', { body: { email: user.email, password: user.password } });
    const later = { ...user, token: String(body.access_token) };
    expect(await planOf(app, later)).toMatchObject({ status: 'expired' });
  });

  it('the mail is in the language of the new user', async () => {
    const { smtp, app, send } = await startAppWithMail(settings);
    const email = newEmail();
    const headers = { 'accept-language': 'de' };
    await app.call('signup', { body: { email, password: goodPassword }, headers });
    await send();
    expect(smtp.mails).toMatchObject([{ to: email, subject: 'Bestätigen Sie Ihre E-Mail-Adresse' }]);
  });

  it('the account says whether its address still has to be confirmed', async () => {
    const { smtp, app, send } = await startAppWithMail(settings);
    const user = await signUp(app);
    const status = async () => (await app.call('emailStatus', { token: user.token })).body;
    expect(await status()).toStrictEqual({ email: user.email, confirmation_needed: true });
    await send();
    await confirm(app, tokenTo(smtp, user.email));
    expect(await status()).toStrictEqual({ email: user.email, confirmation_needed: false });
    const { app: lenient } = await startAppWithMail();
    const other = await signUp(lenient);
    const { body } = await lenient.call('emailStatus', { token: other.token });
    expect(body).toStrictEqual({ email: other.email, confirmation_needed: false });
    const without = await startTestApp();
    expect((await without.call('emailStatus', { token: (await signUp(without)).token })).status).toBe(404);
  });

  it('the mail can be requested again until the address is confirmed', async () => {
    const { smtp, app, send } = await startAppWithMail(settings);
    const user = await signUp(app);
    await send();
    await app.call('sendEmailConfirmation', { token: user.token });
    await send();
    expect(smtp.mails).toHaveLength(2);
    await confirm(app, tokenTo(smtp, user.email));
    await app.call('sendEmailConfirmation', { token: user.token });
    await send();
    expect(smtp.mails).toHaveLength(2);
  });

  it('an account that replaces a deleted one gets its own mail, even while that of the deleted one waits', async () => {
    const { smtp, app, send } = await startAppWithMail(settings);
    const deleted = await signUp(app);
    await app.call('deleteOwnAccount', { token: deleted.token, body: { password: deleted.password } });
    await signUp(app, deleted.email);
    await send();
    expect((await confirm(app, tokenTo(smtp, deleted.email))).status).toBe(200);
  });

  it('a link is valid for a day', async () => {
    const { smtp, app, send } = await startAppWithMail(settings);
    const user = await signUp(app);
    await send();
    app.clock.advance(day);
    expect((await confirm(app, tokenTo(smtp, user.email))).status).toBe(401);
  });

  it('resetting the password by mail confirms the address too', async () => {
    const { smtp, app, send } = await startAppWithMail(settings);
    const user = await signUp(app);
    await app.call('forgotPassword', { body: { email: user.email } });
    await send();
    const reset = smtp.mails.map(({ text }) => /\/reset#token=([\w-]+)/.exec(text)?.[1]).find(Boolean);
    await app.call('resetPassword', { body: { token: reset, new_password: 'another quiet lantern 12' } });
    expect(await app.services.subscriptions.get(user.id)).toMatchObject({ status: 'trialing' });
  });

  it('the confirmation page waits until its button is pressed', async () => {
    const { app } = await startAppWithMail(settings);
    const { status, text, headers } = await app.request('GET', '/confirm', { headers: { 'accept-language': 'de' } });
    expect(status).toBe(200);
    expect(text).toContain('<h1>E-Mail-Adresse bestätigen</h1>');
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
  });
});

describe('the first confirmation of an address', () => {
  const trial = { LATCHKEY_TRIAL_PLAN: 'advanced', LATCHKEY_TRIAL_DAYS: '10' };
  const planOf = async (app: TestServer, { token }: User) =>
    ((await app.call('subscriptionStatus', { token })).body.subscription as { plan?: string } | null)?.plan;

  /** Requests and uses a link for a new password, which also proves the address. */
  async function proveAddress(
    { smtp, app, send }: Omit<Awaited<ReturnType<typeof startAppWithMail>>, 'settings'>,
    user: User,
  ) {
    await app.call('forgotPassword', { body: { email: user.email } });
    await send();
    const token = /\/reset#token=([\w-]+)/.exec(smtp.mails.at(-1)?.text ?? '')?.[1] ?? '';
    expect((await app.call('resetPassword', { body: { token, new_password: goodPassword } })).status).toBe(200);
    const { body } = await app.call('login', { body: { email: user.email, password: goodPassword } });
    return { ...user, token: String(body.access_token) };
  }

  it('starts the pending trial once, and is recorded in the audit log once', async () => {
    const started = await startAppWithMail({ ...trial, LATCHKEY_CONFIRM_EMAIL: '1' });
    const { app, smtp, send } = started;
    const user = await signUp(app);
    await send();
    expect(await planOf(app, user)).toBeUndefined();
    expect((await confirm(app, tokenTo(smtp, user.email))).status).toBe(200);
    expect(await planOf(app, user)).toBe('advanced');
    app.clock.advance(11 * day);
    await proveAddress(started, user);
    expect(await app.services.subscriptions.get(user.id)).toMatchObject({ plan: 'advanced', gives_access: false });
    expect(await auditActions(app, 'account.email_confirm')).toMatchObject([{ target: `account ${user.email}` }]);
  });

  it('starts no trial if there is a subscription', async () => {
    const waiting = await startAppWithMail({ ...trial, LATCHKEY_CONFIRM_EMAIL: '1' });
    const subscribed = await signUp(waiting.app);
    await waiting.app.admin('subscription', 'set', subscribed.email, '--plan', 'standard');
    expect(await planOf(waiting.app, await proveAddress(waiting, subscribed))).toBe('standard');
  });

  it.each([
    ['without confirmations', trial, false],
    ['that has confirmed it by then', { ...trial, LATCHKEY_CONFIRM_EMAIL: '1' }, true],
  ])('starts no trial for an account older than trials, %s', async (_, later, isConfirmed) => {
    const before = await startApp();
    const user = await signUp(before);
    if (isConfirmed) {
      await before.database.write((transaction) => before.services.accounts.confirmEmail(transaction, user.id));
    }
    await before.stop();
    const smtp = await startSmtpServer();
    const app = await startApp({ LATCHKEY_SMTP_URL: smtp.url, ...later }, before);
    await proveAddress({ smtp, app, send: () => sendMails(app) }, user);
    expect(await app.services.subscriptions.get(user.id)).toBeUndefined();
    await app.stop();
    removeFolder(app.dataFolder);
  });
});
