/** A forgotten password: the mailed link works once and for a short time, and the response reveals nothing. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AccountService } from '../../../server/accounts/account.service.ts';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { minute } from '../../harness/fake-clock.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { sendMails, startAppWithMail, startSmtpServer } from '../../harness/mails.ts';
import { envelope } from '../../harness/response-shapes.ts';
import type { SmtpServer } from '../../harness/smtp-server.ts';
import { newStaff } from '../../harness/staff.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';
import type { TestServer } from '../../harness/test-server.ts';
import { goodPassword, logInStatus, newEmail, signUp } from '../../harness/users.ts';
import { describeEachDatabase } from '../audit/databases.ts';

const newPassword = 'another quiet lantern 12';

function forgot(server: TestServer, email: string, language?: string) {
  return server.call('forgotPassword', {
    body: { email },
    ...(language && { headers: { 'accept-language': language } }),
  });
}

function reset(server: TestServer, token: string, password = newPassword) {
  return server.call('resetPassword', { body: { token, new_password: password } });
}

function tokenIn(text: string): string {
  return /\/reset#token=([\w-]+)/.exec(text)?.[1] ?? '';
}

async function requestToken(app: TestApp, smtp: SmtpServer, email: string): Promise<string> {
  await forgot(app, email);
  await sendMails(app);
  return tokenIn(smtp.mails.at(-1)?.text ?? '');
}

describeEachDatabase((database) => {
  it('a mailed link sets a new password once, and ends every session', async () => {
    const smtp = await startSmtpServer();
    const admin = await database.createAdmin();
    Object.assign(admin.settings, {
      LATCHKEY_SMTP_URL: smtp.url,
      LATCHKEY_MAIL_FROM: 'Example <licenses@example.com>',
      LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
    });
    const server = await startHttpServer(admin);
    const user = await signUp(server);
    const { status, body } = await forgot(server, user.email.toUpperCase());
    expect([status, body]).toStrictEqual([200, { success: true }]);
    const [mail] = await smtp.waitFor(user.email);
    expect(mail).toMatchObject({ from: 'licenses@example.com', subject: 'Set a new password' });
    expect(mail?.headers).toMatchObject({ from: 'Example <licenses@example.com>', 'auto-submitted': 'auto-generated' });
    expect(mail?.text).toContain('https://licenses.example.com/reset#token=');
    const token = tokenIn(mail?.text ?? '');
    const done = await reset(server, token);
    expect([done.status, done.body]).toStrictEqual([200, { success: true }]);
    expect(await logInStatus(server, user)).toBe(401);
    expect(await logInStatus(server, { ...user, password: newPassword })).toBe(200);
    expect((await server.call('refresh', { body: { refresh_token: user.refreshToken } })).status).toBe(401);
    const again = await reset(server, token, `${newPassword} 2`);
    expect([again.status, again.body]).toStrictEqual([401, envelope('INVALID_TOKEN')]);
    const [, notice] = await smtp.waitFor(user.email, 2);
    expect(notice?.subject).toBe('Your password was changed');
    expect(server.process.stderr()).not.toContain(token);
  });

  it('mails are sent once each by several processes', async () => {
    const { DATABASE_URL } = (await database.createAdmin()).settings;
    const { smtp, app } = await startAppWithMail(DATABASE_URL === undefined ? {} : { DATABASE_URL });
    const users = await Promise.all(Array.from({ length: 12 }, () => signUp(app)));
    for (const { email } of users) await forgot(app, email);
    await Promise.all([sendMails(app), sendMails(app), sendMails(app)]);
    expect(smtp.mails.map(({ to }) => to).sort()).toStrictEqual(users.map(({ email }) => email).sort());
  });
});

describe('a request for a link', () => {
  it('gets the same response and causes the same writes, whether or not the account exists', async () => {
    const { smtp, app, send } = await startAppWithMail();
    const { email } = await signUp(app);
    const responses = [await forgot(app, email), await forgot(app, newEmail())];
    expect(responses.map(({ status, text }) => [status, text])).toStrictEqual([
      [200, '{"success":true}'],
      [200, '{"success":true}'],
    ]);
    const queued = await app.database.read.selectFrom('mails').selectAll().execute();
    expect(queued).toHaveLength(2);
    expect(queued[0]?.encrypted_mail.length).toBe(queued[1]?.encrypted_mail.length);
    await send();
    expect(smtp.mails.map(({ to }) => to)).toStrictEqual([email]);
    expect(await app.database.read.selectFrom('mails').selectAll().execute()).toStrictEqual([]);
  });

  it('answers NOT_FOUND if no mail server is configured, and tokens are refused as usual', async () => {
    const app = await startTestApp();
    const { email } = await signUp(app);
    const [asked, set] = [await forgot(app, email), await reset(app, 'x')];
    expect([asked.status, asked.body]).toStrictEqual([404, envelope('NOT_FOUND')]);
    expect([set.status, set.body]).toStrictEqual([401, envelope('INVALID_TOKEN')]);
    expect((await app.request('GET', '/reset')).status).toBe(404);
    expect(await app.database.read.selectFrom('mails').selectAll().execute()).toStrictEqual([]);
  });

  it.each([
    ['de-DE,de;q=0.9,en;q=0.8', 'Neues Passwort festlegen'],
    ['ja', 'パスワードの再設定'],
    ['fr, de;q=0', 'Set a new password'],
    ['en;q=0.2, ja;q=0.7', 'パスワードの再設定'],
  ])('with Accept-Language %s is answered in that language', async (language, subject) => {
    const { smtp, app, send } = await startAppWithMail();
    const { email } = await signUp(app);
    await forgot(app, email, language);
    await send();
    expect(smtp.mails[0]).toMatchObject({ subject });
    expect(tokenIn(smtp.mails[0]?.text ?? '')).toMatch(/^[\w-]{43}$/);
  });

  it('sends at most three links within half an hour', async () => {
    const { smtp, app, send } = await startAppWithMail();
    const { email } = await signUp(app);
    for (let times = 0; times < 6; times++) {
      await Promise.all([forgot(app, email), forgot(app, ` ${email.toUpperCase()}`)]);
      await send();
    }
    expect(smtp.mails).toHaveLength(3);
    app.clock.advance(31 * minute);
    await forgot(app, email);
    await send();
    expect(smtp.mails).toHaveLength(4);
  });

  it('answers VALIDATION_ERROR to an invalid email address', async () => {
    const { app } = await startAppWithMail();
    expect((await forgot(app, 'nobody')).body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it('is recorded in the audit log if the account exists', async () => {
    const { smtp, app } = await startAppWithMail();
    const { email } = await signUp(app);
    await requestToken(app, smtp, email);
    const { rows: entries } = await app.services.auditList.readPage({}, { limit: 5 });
    expect(entries).toContainEqual(
      expect.objectContaining({
        action: 'account.password_reset_request',
        target: `account ${email}`,
        address: '127.0.0.1',
      }),
    );
  });
});

it('the first reset revokes the API key of the person who signed up with the address', async () => {
  const smtp = await startSmtpServer();
  const settings = { LATCHKEY_SMTP_URL: smtp.url, LATCHKEY_PUBLIC_URL: 'https://licenses.example.com' };
  const app = await startTestApp({ ...settings, LATCHKEY_TRIAL_PLAN: 'standard' });
  const stranger = await signUp(app);
  const isValid = async (key: unknown) =>
    (await app.call('validateApiKey', { body: { api_key: String(key) } })).body.valid;
  const { body: first } = await app.call('apiKey', { token: stranger.token });
  expect(await isValid(first.api_key)).toBe(true);
  await reset(app, await requestToken(app, smtp, stranger.email));
  expect(await isValid(first.api_key)).toBe(false);
  await sendMails(app);
  expect(smtp.mails.at(-1)?.text).toContain(`The API key ${String(first.api_key).slice(0, 13)}… was revoked`);
  // The key of the mailbox owner survives another reset.
  const { body: session } = await app.call('login', { body: { email: stranger.email, password: newPassword } });
  const { body: second } = await app.call('apiKey', { token: String(session.access_token) });
  await reset(app, await requestToken(app, smtp, stranger.email), `${newPassword} 2`);
  expect(await isValid(second.api_key)).toBe(true);
});

it.each([
  ['support', false],
  ['owner', true],
] as const)('a reset after an invitation by %s keeps the API key: %s', async (role, isKept) => {
  const smtp = await startSmtpServer();
  const app = await startTestApp({ LATCHKEY_SMTP_URL: smtp.url, LATCHKEY_PUBLIC_URL: 'https://licenses.example.com' });
  const { browser } = await newStaff(app, role);
  const email = newEmail();
  const { link } = await browser.expectOk('inviteAccount', { body: { email, plan: 'standard' } });
  const token = /#token=([\w-]+)/.exec(String(link))?.[1] ?? '';
  expect((await reset(app, token, goodPassword)).status).toBe(200);
  const { body: session } = await app.call('login', { body: { email, password: goodPassword } });
  const { body: key } = await app.call('apiKey', { token: String(session.access_token) });
  const body = { api_key: String(key.api_key) };
  expect((await app.call('validateApiKey', { body })).body.valid).toBe(true);
  await reset(app, await requestToken(app, smtp, email));
  expect((await app.call('validateApiKey', { body })).body.valid).toBe(isKept);
});

describe('the API key of an account whose password support has set', () => {
  async function setUp() {
    const smtp = await startSmtpServer();
    const app = await startTestApp({
      LATCHKEY_SMTP_URL: smtp.url,
      LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
    });
    const support = await newStaff(app, 'support');
    const owner = await newStaff(app, 'owner');
    const email = newEmail();
    const { id } = await owner.browser.expectOk('createAccount', { body: { email, password: goodPassword } });
    const at = String(id);
    const set = ({ browser }: typeof support, password: string) =>
      browser.expectOk('setAccountPassword', { at, body: { password } });
    await owner.browser.expectOk('setAccountSubscription', { at, body: { plan: 'standard' } });
    await set(support, goodPassword);
    const { body: session } = await app.call('login', { body: { email, password: goodPassword } });
    const { body: key } = await app.call('apiKey', { token: String(session.access_token) });
    const isValid = async () =>
      (await app.call('validateApiKey', { body: { api_key: String(key.api_key) } })).body.valid;
    expect(await isValid()).toBe(true);
    return { smtp, app, support, owner, email, set, isValid, prefix: String(key.api_key).slice(0, 13) };
  }

  it('ends once an owner sets another password, and the mail names it', async () => {
    const { smtp, app, owner, set, isValid, prefix } = await setUp();
    await sendMails(app);
    await set(owner, newPassword);
    expect(await isValid()).toBe(false);
    await sendMails(app);
    expect(smtp.mails.at(-1)?.text).toContain(`The API key ${prefix}… was revoked`);
  });

  it('is named by the mail even if the mail about the password of support is still waiting', async () => {
    const { smtp, app, owner, set, prefix } = await setUp();
    await set(owner, newPassword);
    await sendMails(app);
    expect(smtp.mails.map(({ text }) => text).join()).toContain(`The API key ${prefix}… was revoked`);
  });

  it('ends once a command sets another password', async () => {
    const { app, email, isValid } = await setUp();
    await app.services.passwords.set(email, newPassword, byCommand);
    expect(await isValid()).toBe(false);
  });

  it('stays while support knows the password', async () => {
    const { app, support, set, isValid } = await setUp();
    await set(support, newPassword);
    await set(await newStaff(app, 'support'), goodPassword);
    expect(await isValid()).toBe(true);
  });
});

describe('a token', () => {
  it('is valid for 30 minutes', async () => {
    const { smtp, app } = await startAppWithMail();
    const user = await signUp(app);
    const [early, late] = [await requestToken(app, smtp, user.email), await requestToken(app, smtp, user.email)];
    app.clock.advance(30 * minute - 1);
    expect((await reset(app, early)).status).toBe(200);
    const other = await requestToken(app, smtp, user.email);
    app.clock.advance(30 * minute);
    for (const token of [late, other]) {
      expect((await reset(app, token)).body).toStrictEqual(envelope('INVALID_TOKEN'));
    }
  });

  it('is invalid after any change of the password', async () => {
    const { smtp, app } = await startAppWithMail();
    const user = await signUp(app);
    const first = await requestToken(app, smtp, user.email);
    const second = await requestToken(app, smtp, user.email);
    const body = { current_password: user.password, new_password: newPassword };
    expect((await app.call('changePassword', { token: user.token, body })).status).toBe(200);
    expect((await reset(app, first)).status).toBe(401);
    expect((await reset(app, second)).status).toBe(401);
    expect(await logInStatus(app, { ...user, password: newPassword })).toBe(200);
  });

  it('remains valid if the new password is refused', async () => {
    const { smtp, app } = await startAppWithMail();
    const user = await signUp(app);
    const token = await requestToken(app, smtp, user.email);
    expect((await reset(app, token, 'short')).body).toStrictEqual(envelope('VALIDATION_ERROR'));
    expect((await reset(app, token, user.email)).body).toStrictEqual(envelope('VALIDATION_ERROR'));
    expect((await reset(app, token)).status).toBe(200);
  });

  it('sets only one password when it is used twenty times at once', async () => {
    const { smtp, app } = await startAppWithMail();
    const user = await signUp(app);
    const token = await requestToken(app, smtp, user.email);
    const tries = Array.from({ length: 20 }, (_, number) => reset(app, token, `${newPassword} ${number}`));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 401)).toHaveLength(19);
  });

  it('is invalid if the account gives up the address while the mail to it is composed', async () => {
    const { smtp, app, send } = await startAppWithMail();
    const user = await signUp(app);
    const next = newEmail();
    await app.call('changeEmail', { token: user.token, body: { email: next, password: user.password } });
    await send();
    const confirmation = smtp.mails.map(({ text }) => /\/confirm#token=([\w-]+)/.exec(text)?.[1]).find(Boolean);
    await forgot(app, user.email);
    const { findByEmail } = AccountService.prototype;
    const finding = vi.spyOn(AccountService.prototype, 'findByEmail');
    onTestFinished(() => finding.mockRestore());
    finding.mockImplementationOnce(async function (this: AccountService, email, executor) {
      const found = await findByEmail.call(this, email, executor);
      expect((await app.call('confirmEmail', { body: { token: confirmation } })).status).toBe(200);
      return found;
    });
    await send();
    const toOldAddress = smtp.mails.filter(({ to }) => to === user.email).map(({ text }) => tokenIn(text));
    const token = toOldAddress.find((found) => found !== '') ?? '';
    expect((await reset(app, token)).body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect(await logInStatus(app, { ...user, email: next })).toBe(200);
  });

  it('answers INVALID_TOKEN if it is made up, and reveals nothing about accounts', async () => {
    const { app } = await startAppWithMail();
    for (const token of ['', 'x', 'A'.repeat(43), '\u0000']) {
      expect((await reset(app, token)).body, token).toStrictEqual(envelope('INVALID_TOKEN'));
    }
  });

  it('is not stored in the database or the queue', async () => {
    const { smtp, app } = await startAppWithMail();
    const { email } = await signUp(app);
    await forgot(app, email);
    const [queued] = await app.database.read.selectFrom('mails').selectAll().execute();
    expect(JSON.stringify(queued)).not.toContain(email);
    await sendMails(app);
    const token = tokenIn(smtp.mails[0]?.text ?? '');
    const [stored] = await app.database.read.selectFrom('mail_tokens').selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(app.logText()).not.toContain(token);
  });
});

describe('a failing mail server', () => {
  it('is retried, and a mail is abandoned once its time is over', async () => {
    const { smtp, app, send } = await startAppWithMail();
    const { email } = await signUp(app);
    smtp.rejection = '451 try later';
    await forgot(app, email);
    await send();
    await send();
    expect(smtp.recipients).toBe(1);
    app.clock.advance(11_000);
    smtp.rejection = undefined;
    await send();
    expect(smtp.mails).toHaveLength(1);
    smtp.rejection = '451 try later';
    await forgot(app, email);
    await send();
    app.clock.advance(31 * minute);
    smtp.rejection = undefined;
    await send();
    expect(smtp.mails).toHaveLength(1);
    expect(await app.database.read.selectFrom('mails').selectAll().execute()).toStrictEqual([]);
    expect(app.logText()).toContain('a mail could not be sent in time');
    expect(app.logText()).not.toContain(email);
  });

  it.each(['550 no such user', '501 Invalid RCPT TO address provided', '553 5.6.7 The address needs SMTPUTF8'])(
    'that permanently rejects the recipient with "%s" does not get the mail again',
    async (rejection) => {
      const { smtp, app, send } = await startAppWithMail();
      const { email } = await signUp(app);
      smtp.rejection = rejection;
      await forgot(app, email);
      await send();
      expect(await app.database.read.selectFrom('mails').selectAll().execute()).toStrictEqual([]);
    },
  );

  it('that is down delays the mail and nothing else', async () => {
    const { smtp, app, send } = await startAppWithMail();
    const { email } = await signUp(app);
    await smtp.stop();
    expect((await forgot(app, email)).status).toBe(200);
    await send();
    expect(await app.database.read.selectFrom('mails').select('tries').execute()).toEqual([{ tries: 1 }]);
    await smtp.start();
  });
});

describe('the password reset page', () => {
  it.each([
    ['en', 'Set a new password'],
    ['de', 'Neues Passwort festlegen'],
    ['ja', '新しいパスワードの設定'],
  ])('is in %s, runs only its own script, and is not stored', async (language, title) => {
    const { app } = await startAppWithMail();
    const { status, headers, text } = await app.request('GET', '/reset', { headers: { 'accept-language': language } });
    expect(status).toBe(200);
    expect(text).toContain(`<html lang="${language}">`);
    expect(text).toContain(`<h1>${title}</h1>`);
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('content-security-policy')).toMatch(/script-src 'sha256-[^']+'; connect-src 'self'/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(text).not.toMatch(/src=|href=/);
  });
});
