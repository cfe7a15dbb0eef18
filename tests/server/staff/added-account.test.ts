/**
 * When an account becomes staff, anyone who signed up with a colleague's address first, or knows its password, gains
 * nothing.
 */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AccountService } from '../../../server/accounts/account.service.ts';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { sendMails, startAppWithMail } from '../../harness/mails.ts';
import { envelope } from '../../harness/response-shapes.ts';
import type { SmtpServer } from '../../harness/smtp-server.ts';
import { newStaff, type Staff, StaffBrowser } from '../../harness/staff.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';
import { goodPassword, newEmail, signUp, subscriber, type User } from '../../harness/users.ts';
import { describeEachDatabase, withServices } from '../audit/databases.ts';

const newPassword = 'another quiet lantern 12';

/** Returns the token in the newest mail with a link to `page`. */
async function tokenOf(app: TestApp, smtp: SmtpServer, page: 'reset' | 'confirm'): Promise<string> {
  await sendMails(app);
  const link = new RegExp(`/${page}#token=([\\w-]+)`);
  return smtp.mails.map(({ text }) => link.exec(text)?.[1]).findLast((token) => token !== undefined) ?? '';
}

/** Confirms the address of the account through the link mailed to it. */
async function confirmAddress(app: TestApp, smtp: SmtpServer, { token }: User): Promise<void> {
  await app.call('sendEmailConfirmation', { token });
  const confirmed = await app.call('confirmEmail', { body: { token: await tokenOf(app, smtp, 'confirm') } });
  expect(confirmed.status, confirmed.text).toBe(200);
}

/** Adds staff as an owner does on the admin page; returns the token of the link that the page shows. */
async function addOnPage({ browser }: Staff, email: string, role = 'owner'): Promise<string> {
  const { link } = await browser.expectOk('addStaff', { body: { email, role } });
  return /token=([\w-]+)/.exec((link as { url: string }).url)?.[1] ?? '';
}

const signInStatus = async (app: TestApp, email: string, password = goodPassword) =>
  (await new StaffBrowser(app).signIn(email, password)).status;

describe('an attacker who signed up with the address of a colleague', () => {
  it('gains no access when the colleague becomes staff: password, sessions, API key and mailed links stop working', async () => {
    const { app, smtp } = await startAppWithMail();
    const owner = await newStaff(app, 'owner');
    const attacker = await subscriber(app);
    const key = await app.call('apiKey', { token: attacker.token, body: {} });
    await app.call('changeEmail', {
      token: attacker.token,
      body: { email: newEmail(), password: attacker.password },
    });
    await sendMails(app);
    const changeToken = smtp.mails.map(({ text }) => /\/confirm#token=([\w-]+)/.exec(text)?.[1]).find(Boolean);
    await app.call('forgotPassword', { body: { email: attacker.email } });
    const resetToken = await tokenOf(app, smtp, 'reset');

    const token = await addOnPage(owner, attacker.email);

    expect(await signInStatus(app, attacker.email)).toBe(401);
    const login = await app.call('login', { body: { email: attacker.email, password: attacker.password } });
    expect(login.body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
    expect((await app.call('subscriptionStatus', { token: attacker.token })).body).toStrictEqual(
      envelope('INVALID_TOKEN'),
    );
    expect((await app.call('refresh', { body: { refresh_token: attacker.refreshToken } })).body).toStrictEqual(
      envelope('INVALID_TOKEN'),
    );
    const validated = await app.call('validateApiKey', { body: { api_key: key.body.api_key } });
    expect(validated.body).toMatchObject({ valid: false });
    for (const [name, body] of [
      ['confirmEmail', { token: changeToken }],
      ['resetPassword', { token: resetToken, new_password: newPassword }],
    ] as const) {
      expect((await app.call(name, { body })).body, name).toStrictEqual(envelope('INVALID_TOKEN'));
    }

    const colleague = new StaffBrowser(app);
    await colleague.expectOk('redeemWelcome', { body: { token, password: newPassword } });
    expect(await colleague.expectOk('staffSession')).toMatchObject({ staff: { email: attacker.email, role: 'owner' } });
    expect(await signInStatus(app, attacker.email, newPassword)).toBe(200);
    expect(await signInStatus(app, attacker.email)).toBe(401);
  });

  it('is not mailed about a change of address that was requested before', async () => {
    const { app, smtp } = await startAppWithMail();
    const attacker = await signUp(app);
    const elsewhere = newEmail();
    await app.call('changeEmail', { token: attacker.token, body: { email: elsewhere, password: attacker.password } });
    await app.services.staffAdmin.add(attacker.email, 'owner', byCommand);
    await sendMails(app);
    expect(smtp.mails.filter(({ to }) => to === elsewhere)).toStrictEqual([]);
  });

  it('is not added if the address of the account changes at the same moment', async () => {
    const app = await startTestApp();
    const attacker = await signUp(app);
    const elsewhere = newEmail();
    const { findOrAdd } = AccountService.prototype;
    const finding = vi.spyOn(AccountService.prototype, 'findOrAdd');
    onTestFinished(() => finding.mockRestore());
    // On PostgreSQL, another transaction does this, and the lock waits for it.
    finding.mockImplementation(async function (this: AccountService, transaction, email, by) {
      const found = await findOrAdd.call(this, transaction, email, by);
      await this.changeEmail(transaction, { id: found.id, email: elsewhere }, byCommand);
      await this.confirmEmail(transaction, found.id);
      return found;
    });
    await expect(app.services.staffAdmin.add(attacker.email, 'owner', byCommand)).rejects.toThrow('just changed');
    expect(await signInStatus(app, elsewhere)).toBe(401);
  });

  it('gets no link to another address if the mail is composed while the account becomes staff', async () => {
    const { app, smtp } = await startAppWithMail();
    const attacker = await signUp(app);
    const elsewhere = newEmail();
    await app.call('changeEmail', { token: attacker.token, body: { email: elsewhere, password: attacker.password } });
    const { findById } = AccountService.prototype;
    const finding = vi.spyOn(AccountService.prototype, 'findById');
    onTestFinished(() => finding.mockRestore());
    let isAdded = false;
    finding.mockImplementation(async function (this: AccountService, id, executor) {
      const found = await findById.call(this, id, executor);
      if (isAdded || executor !== undefined) return found;
      isAdded = true;
      await app.services.staffAdmin.add(attacker.email, 'owner', byCommand);
      return found;
    });
    await sendMails(app);
    const isMailed = smtp.mails.some(({ to }) => to === elsewhere);
    expect({ isAdded, isMailed }).not.toEqual({ isAdded: true, isMailed: true });
  });

  it('is recorded in the audit log, with the key that was revoked', async () => {
    const app = await startTestApp();
    const attacker = await subscriber(app);
    await app.call('apiKey', { token: attacker.token, body: {} });
    await app.services.staffAdmin.add(attacker.email, 'viewer', byCommand);
    const { rows: entries } = await app.services.auditList.readPage({}, { limit: 20 });
    const target = `account ${attacker.email}`;
    expect(entries).toContainEqual(
      expect.objectContaining({ action: 'staff.add', target, details: { role: 'viewer', credentials_removed: true } }),
    );
    expect(entries).toContainEqual(expect.objectContaining({ action: 'api_key.revoke' }));
  });
});

describeEachDatabase((database) => {
  it('staff add removes the password of an account whose address was never confirmed, and no other', async () => {
    const admin = await database.createAdmin();
    await withServices(admin, async ({ auth, accounts, staffAdmin, passwords }) => {
      const client = { address: '192.0.2.1', userAgent: '', language: 'en' } as const;
      await auth.signup({ email: 'eve@example.com', password: goodPassword, full_name: '' }, client);
      await accounts.create({ email: 'ada@example.com', password: goodPassword, full_name: '' }, byCommand);
      expect(await staffAdmin.add('EVE@example.com', undefined, byCommand)).toMatchObject({ has_password: false });
      expect(await staffAdmin.add('ada@example.com', undefined, byCommand)).toMatchObject({ has_password: true });
      await passwords.set('eve@example.com', newPassword, byCommand);
      expect(await staffAdmin.add('eve@example.com', 'viewer', byCommand)).toMatchObject({ has_password: true });
    });
  });
});

describe('an account that becomes staff', () => {
  it('keeps its password and sessions if its address was confirmed', async () => {
    const { app, smtp } = await startAppWithMail();
    const user = await signUp(app);
    await confirmAddress(app, smtp, user);
    await app.services.staffAdmin.add(user.email, 'viewer', byCommand);
    expect(await signInStatus(app, user.email)).toBe(200);
    expect((await app.call('refresh', { body: { refresh_token: user.refreshToken } })).status).toBe(200);
  });

  it('keeps its password if an admin created it, by a command or on the page', async () => {
    const app = await startTestApp();
    const owner = await newStaff(app, 'owner');
    const email = newEmail();
    await owner.browser.expectOk('createAccount', { body: { email, password: goodPassword } });
    await addOnPage(owner, email, 'viewer');
    expect(await signInStatus(app, email)).toBe(200);
  });
});

describe('support', () => {
  async function startWithSupport() {
    const { app, smtp } = await startAppWithMail();
    const [owner, support] = [await newStaff(app, 'owner'), await newStaff(app, 'support')];
    const user = await signUp(app);
    await confirmAddress(app, smtp, user);
    const setPassword = (password: string, by = support) =>
      by.browser.call('setAccountPassword', { at: user.id, body: { password } });
    return { app, smtp, owner, support, user, setPassword };
  }

  it('cannot set a password that still works once the user becomes an owner', async () => {
    const { app, owner, user, setPassword } = await startWithSupport();
    expect((await setPassword(newPassword)).status).toBe(200);
    const session = await app.call('login', { body: { email: user.email, password: newPassword } });
    await addOnPage(owner, user.email);
    expect(await signInStatus(app, user.email, newPassword)).toBe(401);
    expect((await app.call('refresh', { body: { refresh_token: session.body.refresh_token } })).status).toBe(401);
  });

  it('cannot do so by changing, as the user, a password that support set', async () => {
    const { app, owner, user, setPassword } = await startWithSupport();
    await setPassword(newPassword);
    const { body } = await app.call('login', { body: { email: user.email, password: newPassword } });
    const change = { current_password: newPassword, new_password: `${newPassword} 2` };
    expect((await app.call('changePassword', { token: String(body.access_token), body: change })).status).toBe(200);
    await addOnPage(owner, user.email);
    expect(await signInStatus(app, user.email, `${newPassword} 2`)).toBe(401);
  });

  it('does not affect a user who later set another password through a mailed link, or got one from an owner', async () => {
    const { app, smtp, owner, user, setPassword } = await startWithSupport();
    await setPassword(newPassword);
    await app.call('forgotPassword', { body: { email: user.email } });
    const token = await tokenOf(app, smtp, 'reset');
    await app.call('resetPassword', { body: { token, new_password: goodPassword } });
    await addOnPage(owner, user.email, 'viewer');
    expect(await signInStatus(app, user.email)).toBe(200);
    await owner.browser.expectOk('removeStaff', { at: user.id });
    await setPassword(newPassword);
    await setPassword(`${newPassword} 2`, owner);
    await addOnPage(owner, user.email, 'viewer');
    expect(await signInStatus(app, user.email, `${newPassword} 2`)).toBe(200);
  });

  it('cannot set the password of a user who becomes staff while the new password is hashed', async () => {
    const { app, owner, user, setPassword } = await startWithSupport();
    const responses = await Promise.all([setPassword(newPassword), addOnPage(owner, user.email)]);
    expect(await signInStatus(app, user.email, newPassword)).toBe(401);
    expect([200, 403]).toContain(responses[0].status);
  });

  it('can neither set the password of staff nor create a link for them', async () => {
    const { owner, support, setPassword, user } = await startWithSupport();
    await addOnPage(owner, user.email, 'viewer');
    expect((await setPassword(newPassword)).body).toStrictEqual(envelope('FORBIDDEN'));
    for (const name of ['createStaffLink', 'setStaffRole', 'removeStaff'] as const) {
      const { status } = await support.browser.call(name, { at: user.id, body: { role: 'owner' } });
      expect([name, status]).toStrictEqual([name, 403]);
    }
    const email = newEmail();
    expect((await support.browser.call('createAccount', { body: { email, password: goodPassword } })).status).toBe(403);
  });
});
