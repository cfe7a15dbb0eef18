/**
 * Sign-up by invitation: accounts are created only by invitation, and a link sets an account's first password, once.
 */
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { takeMailAllowance } from '../../../server/mail/mail-allowance.ts';
import { day } from '../../harness/fake-clock.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { sendMails, startSmtpServer } from '../../harness/mails.ts';
import { envelope, timestamp, uuid } from '../../harness/response-shapes.ts';
import { auditActions, newStaff } from '../../harness/staff.ts';
import { sharedApp, startTestApp, type TestApp } from '../../harness/start-app.ts';
import type { TestServer } from '../../harness/test-server.ts';
import { goodPassword, newEmail, signUp } from '../../harness/users.ts';
import { describeEachDatabase } from '../audit/databases.ts';

const server = sharedApp();
const origin = 'https://licenses.example.com';
const mailSettings = (url: string) => ({ LATCHKEY_SMTP_URL: url, LATCHKEY_PUBLIC_URL: origin });

const tokenIn = (link: unknown): string => /\/invitation#token=([\w-]{43})$/.exec(String(link))?.[1] ?? '';

async function invite(to: TestServer, email: string, ...words: string[]): Promise<string> {
  return tokenIn((await to.admin('user', 'invite', email, ...words)).link);
}

function choose(on: Pick<TestServer, 'call'>, token: string, password = goodPassword) {
  return on.call('resetPassword', { body: { token, new_password: password } });
}

async function signIn(on: Pick<TestServer, 'call'>, email: string, password = goodPassword): Promise<number> {
  return (await on.call('login', { body: { email, password } })).status;
}

describe('with sign-up by invitation only', () => {
  it('a sign-up gets the same refusal for every address, without a lookup or a password hash', async () => {
    const app = await startTestApp({ LATCHKEY_SIGN_UP: 'invited' });
    const { email } = await app.services.accounts.create(
      { email: newEmail(), password: goodPassword, full_name: '' },
      byCommand,
    );
    const tries = [
      { email, password: goodPassword },
      { email: newEmail(), password: goodPassword },
      { email: 'no address', password: goodPassword },
      { email: newEmail(), password: 'x' },
    ];
    await app.database.close();
    const responses = await Promise.all(tries.map((body) => app.call('signup', { body })));
    for (const { status, body } of responses) {
      expect([status, body]).toStrictEqual([403, envelope('SIGN_UP_CLOSED')]);
    }
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
  });

  it('an invited user can choose a password and sign in', async () => {
    const app = await startTestApp({ LATCHKEY_SIGN_UP: 'invited' });
    const email = newEmail();
    expect((await choose(app, await invite(app, email))).body).toStrictEqual({ success: true });
    expect(await signIn(app, email)).toBe(200);
  });
});

describeEachDatabase((database) => {
  it('an invitation that is used several times at once succeeds exactly once', async () => {
    const admin = await database.createAdmin();
    const http = await startHttpServer(admin);
    const email = newEmail();
    const token = tokenIn((await admin.json<{ link: string }>(['user', 'invite', email, '--plan', 'standard'])).link);
    const passwords = Array.from({ length: 6 }, (_, number) => `${goodPassword} ${number}`);
    const statuses = await Promise.all(passwords.map(async (each) => (await choose(http, token, each)).status));
    expect(statuses.toSorted()).toStrictEqual([200, 401, 401, 401, 401, 401]);
    const winner = passwords[statuses.indexOf(200)] ?? '';
    const signIns = await Promise.all(passwords.map((password) => signIn(http, email, password)));
    expect(signIns.filter((status) => status === 200)).toHaveLength(1);
    expect(await signIn(http, email, winner)).toBe(200);
  });

  it('of two simultaneous invitations of one address, only one link works', async () => {
    const admin = await database.createAdmin();
    const http = await startHttpServer(admin);
    const email = newEmail();
    const both = await Promise.all(
      [1, 2].map(() => admin.json<{ link: string; user: { id: string } }>(['user', 'invite', email])),
    );
    expect(new Set(both.map(({ user }) => user.id)).size).toBe(1);
    const statuses: number[] = [];
    for (const { link } of both) statuses.push((await choose(http, tokenIn(link))).status);
    expect(statuses.toSorted()).toStrictEqual([200, 401]);
  });
});

describe('an invitation', () => {
  it('creates an account without a password, with its name and subscription', async () => {
    const email = newEmail();
    const invited = await server.admin('user', 'invite', email, '--full-name', 'Ada W.', '--plan', 'advanced');
    expect(invited).toStrictEqual({
      user: { id: uuid, email, full_name: 'Ada W.', created_at: timestamp, email_confirmed_at: null },
      link: expect.stringMatching(/^http:\/\/localhost:8470\/invitation#token=[\w-]{43}$/),
    });
    const shown = await server.admin('user', 'show', email);
    expect(shown).toMatchObject({ full_name: 'Ada W.', subscription: { plan: 'advanced', status: 'active' } });
    const { current_period_end } = shown.subscription as { current_period_end: string };
    expect(Date.parse(current_period_end) - server.now()).toBe(30 * day);
    expect(await signIn(server, email, '')).toBe(401);
  });

  it('confirms the email address once it is used', async () => {
    const email = newEmail();
    const token = await invite(server, email);
    const before = await server.services.accounts.getByEmail(email);
    expect([before.hasPassword, before.emailConfirmedAtMs]).toStrictEqual([false, undefined]);
    await choose(server, token);
    expect(await server.services.accounts.getByEmail(email)).toMatchObject({
      hasPassword: true,
      emailConfirmedAtMs: server.now(),
    });
  });

  it('does not remove a legacy API key that was imported for the account', async () => {
    const email = newEmail();
    const token = await invite(server, email);
    const until = new Date(server.now() + day).toISOString();
    const key = `old-${newEmail()}`;
    await server.admin('api-key', 'import-legacy', email, '--key', key, '--expires-at', until);
    await choose(server, token);
    expect((await server.call('validateApiKey', { body: { api_key: key } })).body).toMatchObject({ valid: true });
  });

  it('can be used only once', async () => {
    const email = newEmail();
    const token = await invite(server, email);
    expect((await choose(server, token)).status).toBe(200);
    const again = await choose(server, token, 'another quiet lantern 12');
    expect([again.status, again.body]).toStrictEqual([401, envelope('INVALID_TOKEN')]);
    expect(await signIn(server, email)).toBe(200);
  });

  it('stays valid after a password is refused', async () => {
    const token = await invite(server, newEmail());
    for (const password of ['', 'short']) {
      expect((await choose(server, token, password)).body).toStrictEqual(envelope('VALIDATION_ERROR'));
    }
    expect((await choose(server, token)).status).toBe(200);
  });

  it('is valid for 7 days', async () => {
    const app = await startTestApp();
    const [used, late] = [await invite(app, newEmail()), await invite(app, newEmail())];
    app.clock.advance(7 * day - 1);
    expect((await choose(app, used)).status).toBe(200);
    app.clock.advance(1);
    const { status, body } = await choose(app, late);
    expect([status, body]).toStrictEqual([401, envelope('INVALID_TOKEN')]);
  });

  it('becomes invalid when a newer one is made, however many there were', async () => {
    const email = newEmail();
    const tokens: string[] = [];
    for (let count = 0; count < 5; count++) tokens.push(await invite(server, email.toUpperCase()));
    for (const token of tokens.slice(0, -1)) expect((await choose(server, token)).status).toBe(401);
    expect((await choose(server, tokens.at(-1) ?? '')).status).toBe(200);
  });

  it('is refused with CONFLICT for an account that has a password, which stays the same', async () => {
    const user = await signUp(server);
    await expect(server.admin('user', 'invite', user.email, '--plan', 'advanced')).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(await signIn(server, user.email)).toBe(200);
    expect(await server.services.subscriptions.get(user.id)).toBeUndefined();
  });

  it.each([
    ['no address', [], 'VALIDATION_ERROR'],
    [newEmail(), ['--plan', 'unknown'], 'NOT_FOUND'],
    [newEmail(), ['--full-name', 'x'.repeat(201)], 'VALIDATION_ERROR'],
    [newEmail(), ['--send'], 'VALIDATION_ERROR'],
  ])('to %s with %j is refused and changes nothing', async (email, words, code) => {
    await expect(server.admin('user', 'invite', email, ...words)).rejects.toMatchObject({ code });
    expect(await server.services.accounts.findByEmail(email)).toBeUndefined();
  });

  it('is recorded in the audit log without its link', async () => {
    const app = await startTestApp();
    const email = newEmail();
    const token = await invite(app, email, '--plan', 'standard');
    const entries = await auditActions(app, 'account.invite');
    expect(entries).toMatchObject([{ target: `account ${email}`, details: { plan: 'standard', sent: false } }]);
    expect(JSON.stringify(entries) + app.logText()).not.toContain(token);
  });

  it('is only mailed on request, and its name is trimmed', async () => {
    const smtp = await startSmtpServer();
    const app = await startTestApp(mailSettings(smtp.url));
    const email = newEmail();
    const by = { ...byCommand, siteUrl: origin };
    const { account } = await app.services.invitations.invite({ email, full_name: ' Ada Byron ' }, by);
    expect(account.full_name).toBe('Ada Byron');
    expect(await app.database.read.selectFrom('mails').select('id').execute()).toEqual([]);
    expect(await auditActions(app, 'account.invite')).toMatchObject([{ details: { sent: false } }]);
  });

  it('made by an owner sets a password that is kept if the account becomes staff', async () => {
    const app = await startTestApp();
    const owner = await newStaff(app, 'owner');
    const email = newEmail();
    const { link } = await owner.browser.expectOk('inviteAccount', { body: { email } });
    await choose(app, tokenIn(link));
    await app.services.staffAdmin.add(email, 'owner', byCommand);
    expect(await app.services.accounts.getByEmail(email)).toMatchObject({ hasPassword: true });
  });

  it('made by support sets a password that support may know, so it is removed if the account becomes staff', async () => {
    const app = await startTestApp();
    const support = await newStaff(app, 'support');
    const email = newEmail();
    const { link } = await support.browser.expectOk('inviteAccount', { body: { email } });
    await choose(app, tokenIn(link));
    await app.services.staffAdmin.add(email, 'owner', byCommand);
    expect(await app.services.accounts.getByEmail(email)).toMatchObject({ hasPassword: false });
  });
});

describe('a mailed invitation', () => {
  async function startWithMail() {
    const smtp = await startSmtpServer();
    return { smtp, app: await startTestApp(mailSettings(smtp.url)) };
  }

  async function inviteByMail(app: TestApp, email: string): Promise<string> {
    const by = { ...byCommand, siteUrl: origin };
    return (await app.services.invitations.invite({ email, send: true }, by)).link;
  }

  it('is not held back by notices that strangers have caused to the same mailbox', async () => {
    const { app } = await startWithMail();
    const email = newEmail();
    const notice = { email, topic: 'email_changed', isLink: false, isConfirmed: false };
    await app.database.write(async (transaction) => {
      while (await takeMailAllowance(transaction, notice, app.now()));
    });
    await inviteByMail(app, email);
    expect(await app.database.read.selectFrom('mails').select('id').execute()).toHaveLength(1);
  });

  it('contains the link that was shown, in each language, to the page for choosing a password', async () => {
    const { smtp, app } = await startWithMail();
    const email = newEmail();
    const link = await inviteByMail(app, email);
    await sendMails(app);
    const [mail] = await smtp.waitFor(email);
    expect(mail?.subject).toBe('Your invitation / Ihre Einladung / アカウントへの招待');
    expect(mail?.text.split(link)).toHaveLength(4);
    expect((await choose(app, tokenIn(link))).status).toBe(200);
    expect(JSON.stringify(await app.database.read.selectFrom('mails').selectAll().execute())).not.toContain(link);
  });

  it('is only sent for the newest invitation, even if an older one could not be sent yet', async () => {
    const { smtp, app } = await startWithMail();
    const email = newEmail();
    const links = [await inviteByMail(app, email), await inviteByMail(app, email)];
    await sendMails(app);
    expect(smtp.mails).toHaveLength(1);
    expect(smtp.mails[0]?.text).toContain(links[1]);
  });

  it('keeps its link valid while the mail server fails', async () => {
    const { smtp, app } = await startWithMail();
    const email = newEmail();
    await smtp.stop();
    const link = await inviteByMail(app, email);
    await sendMails(app);
    expect((await choose(app, tokenIn(link))).status).toBe(200);
  });
});

describe('the invitation page', () => {
  it.each([
    ['en', 'Choose a password'],
    ['de', 'Passwort festlegen'],
    ['ja', 'パスワードの設定'],
  ])('is available without a mail server, in %s', async (language, title) => {
    const { status, headers, text } = await server.request('GET', '/invitation', {
      headers: { 'accept-language': language },
    });
    expect(status).toBe(200);
    expect(text).toContain(`<h1>${title}</h1>`);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
  });
});
