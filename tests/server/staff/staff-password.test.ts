/** The password of a member of staff: changed on the admin page, or reset by mail when forgotten. Transport: inject. */
import { describe, expect, it } from 'vitest';
import { sendMails, startSmtpServer } from '../../harness/mails.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { auditActions, newStaff, StaffBrowser, signInStaff } from '../../harness/staff.ts';
import { sharedApp, startTestApp } from '../../harness/start-app.ts';
import { goodPassword, newEmail } from '../../harness/users.ts';

const server = sharedApp();
const newPassword = 'another quiet lantern 12';
const isSignedIn = async (browser: StaffBrowser) => (await browser.call('staffSession')).status === 200;

const change = (browser: StaffBrowser, body: Record<string, unknown> = {}) =>
  browser.call('changeStaffPassword', {
    body: { current_password: goodPassword, new_password: newPassword, ...body },
  });

describe('a member of staff who changes their password', () => {
  it('continues in this browser with a new session; every other session ends, including those of the app', async () => {
    const { email, browser } = await newStaff(server, 'viewer');
    const other = await signInStaff(server, email);
    const { body: app } = await server.call('login', { body: { email, password: goodPassword } });
    const { cookie } = browser;
    const response = await change(browser);
    expect([response.status, response.body]).toEqual([200, await browser.expectOk('staffSession')]);
    expect(browser.cookie).not.toBe(cookie);
    expect(await isSignedIn(other)).toBe(false);
    const stale = new StaffBrowser(server);
    stale.cookie = cookie;
    expect(await isSignedIn(stale)).toBe(false);
    expect((await server.call('refresh', { body: { refresh_token: app.refresh_token } })).status).toBe(401);
    expect((await new StaffBrowser(server).signIn(email, goodPassword)).status).toBe(401);
    expect((await new StaffBrowser(server).signIn(email, newPassword)).status).toBe(200);
  });

  it('is recorded in the audit log as staff, as is a wrong current password, which changes nothing', async () => {
    const { email, browser } = await newStaff(server, 'support');
    const refused = await change(browser, { current_password: 'not the right lantern' });
    expect([refused.status, refused.body]).toEqual([401, envelope('INVALID_CREDENTIALS')]);
    expect(refused.headers.get('set-cookie')).toBeNull();
    expect(await isSignedIn(browser)).toBe(true);
    expect((await change(browser)).status).toBe(200);
    const entry = { actor: email, target: `account ${email}`, address: '127.0.0.1' };
    expect(await auditActions(server, 'account.password_change')).toContainEqual(expect.objectContaining(entry));
    await expect
      .poll(() => auditActions(server, 'account.sign_in_refused'))
      .toContainEqual(expect.objectContaining({ ...entry, details: { reason: 'wrong password', signed_in: true } }));
  });

  it.each([
    ['short', { new_password: 'abc' }],
    ['common', { new_password: 'password123' }],
    ['missing', { new_password: undefined }],
  ])('is refused a new password that is %s, and stays signed in', async (_, body) => {
    const { email, browser } = await newStaff(server, 'owner');
    const other = await signInStaff(server, email);
    const refused = await change(browser, body);
    expect([refused.status, refused.body]).toEqual([400, envelope('VALIDATION_ERROR')]);
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, true]);
  });
});

describe('a member of staff who forgot their password', () => {
  it('gets a link by mail in their language, and the response does not reveal whether the account exists', async () => {
    const smtp = await startSmtpServer();
    const app = await startTestApp({
      LATCHKEY_SMTP_URL: smtp.url,
      LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
    });
    const { email, browser } = await newStaff(app, 'owner');
    await sendMails(app);
    smtp.mails.length = 0;
    const stranger = new StaffBrowser(app);
    expect(await stranger.expectOk('staffSignInOptions')).toStrictEqual({
      can_reset_password: true,
      password_min_length: 8,
      single_sign_on: false,
    });
    for (const address of [email, newEmail()]) {
      const response = await stranger.call('forgotStaffPassword', { body: { email: address, language: 'de' } });
      expect([response.status, response.body]).toEqual([200, { success: true }]);
    }
    await sendMails(app);
    expect(smtp.mails).toHaveLength(1);
    const [mail] = await smtp.waitFor(email);
    expect(mail?.text).toContain('Passwort');
    const token = /\/reset#token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
    expect((await app.call('resetPassword', { body: { token, new_password: newPassword } })).status).toBe(200);
    expect(await isSignedIn(browser)).toBe(false);
    expect((await stranger.signIn(email, newPassword)).status).toBe(200);
  });

  it('is not offered a link without a mail server', async () => {
    const browser = new StaffBrowser(server);
    expect(await browser.expectOk('staffSignInOptions')).toMatchObject({ can_reset_password: false });
    const { status, body } = await browser.call('forgotStaffPassword', { body: { email: newEmail() } });
    expect([status, body]).toEqual([404, envelope('NOT_FOUND')]);
  });
});
