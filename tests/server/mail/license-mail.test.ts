/** License keys in mails: sent only when an admin asks for it, and only to the recipient that the admin chooses. */
import { describe, expect, it, vi } from 'vitest';
import { day } from '../../harness/fake-clock.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { sendMails, startSmtpServer } from '../../harness/mails.ts';
import { envelope, licenseKey } from '../../harness/response-shapes.ts';
import { newStaff } from '../../harness/staff.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { createAdmin } from '../../harness/test-admin.ts';
import { newEmail, signUp, subscriber } from '../../harness/users.ts';
import { describeEachDatabase } from '../audit/databases.ts';

describeEachDatabase((database) => {
  it('license issue --send mails the key to the owner', async () => {
    const smtp = await startSmtpServer();
    const admin = await database.createAdmin();
    Object.assign(admin.settings, { LATCHKEY_SMTP_URL: smtp.url });
    const server = await startHttpServer(admin);
    const { email } = await signUp(server);
    const issued = await server.admin('license', 'issue', '--email', email, '--send', '--language', 'de');
    expect(issued).toMatchObject({ license_key: licenseKey, license: { email } });
    const [mail] = await smtp.waitFor(email);
    expect(mail?.subject).toBe('Ihr Lizenzschlüssel');
    expect(mail?.text).toContain(issued.license_key);
    await server.admin('license', 'issue', '--email', email);
    expect((await admin.runHere(['audit', 'list', '--json'])).stdout).toContain(`"sent_to": "${email}"`);
    expect(smtp.mails).toHaveLength(1);
  });
});

describe('license issue --send', () => {
  it('is a usage error without an owner', async () => {
    const result = await createAdmin().runHere(['license', 'issue', '--send']);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain("'--send' requires '--email'");
  });

  it('issues nothing if no mail server is configured', async () => {
    const admin = createAdmin();
    const email = 'ada@example.com';
    await admin.runHere(['user', 'create', '--email', email, '--password-stdin'], 'quiet harbour lantern 47');
    const result = await admin.runHere(['license', 'issue', '--email', email, '--send', '--json']);
    expect(result.code).toBe(1);
    expect(JSON.parse(result.stderr)).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await admin.json(['license', 'list'])).toEqual([]);
  });
});

describe('the validity stated in the mail', () => {
  it.each([
    ['en', 'Valid: with your subscription, currently until ', 'Valid: while you have an active subscription'],
    ['de', 'Gültig: mit Ihrem Abonnement, derzeit bis ', 'Gültig: nur mit einem aktiven Abonnement'],
    ['ja', '有効期限：サブスクリプションの有効期間中（現在は ', '現在、有効なサブスクリプションはありません'],
  ] as const)('depends on the subscription, in %s', async (language, current, none) => {
    const smtp = await startSmtpServer();
    const server = await startTestApp({ LATCHKEY_SMTP_URL: smtp.url });
    const user = await subscriber(server);
    const issue = async (...words: string[]) => {
      await server.admin('license', 'issue', '--email', user.email, '--send', '--language', language, ...words);
      await sendMails(server);
      return smtp.mails.at(-1)?.text;
    };
    const end = new Date(server.now() + 30 * day).toLocaleDateString(language, { dateStyle: 'long', timeZone: 'UTC' });
    expect(await issue('--with-subscription')).toContain(current + end);
    expect(await issue()).not.toContain(current);
    server.clock.advance(31 * day);
    expect(await issue('--with-subscription')).toContain(none);
  });
});

describe('on the admin page', () => {
  async function start() {
    const smtp = await startSmtpServer();
    const server = await startTestApp({ LATCHKEY_SMTP_URL: smtp.url });
    const { browser } = await newStaff(server, 'support');
    await sendMails(server);
    smtp.mails.length = 0;
    const { email } = await signUp(server);
    return { smtp, server, browser, email };
  }

  it('a license is mailed when it is issued, or later by anyone who still has the key', async () => {
    const { smtp, server, browser, email } = await start();
    expect(await browser.expectOk('serverInfo')).toMatchObject({ can_send_mail: true });
    const { license_key, license } = await browser.expectOk('issueLicense', { body: { email, send: true } });
    await sendMails(server);
    expect(smtp.mails.at(-1)).toMatchObject({ to: email, subject: 'Your license key' });
    const at = (license as { id: string }).id;
    const sent = await browser.expectOk('sendLicense', { at, body: { license_key, email: 'bob@example.com' } });
    expect(sent).toStrictEqual({ sent_to: 'bob@example.com' });
    await sendMails(server);
    expect(smtp.mails.at(-1)?.to).toBe('bob@example.com');
    expect(smtp.mails.at(-1)?.text).toContain(license_key);
  });

  it('a license goes to the new address of an owner whose address changes in the meantime', async () => {
    const { smtp, server, browser, email } = await start();
    const { license_key, license } = await browser.expectOk('issueLicense', { body: { email } });
    const at = (license as { id: string }).id;
    const [first, second] = [newEmail(), newEmail()];
    const changeMeanwhile = (from: string, to: string) =>
      vi.spyOn(server.database, 'write').mockImplementationOnce(async (work) => {
        const { id } = await server.services.accounts.getByEmail(from);
        await server.database.write((transaction) =>
          transaction.updateTable('users').set({ email: to, email_key: to }).where('id', '=', id).execute(),
        );
        return server.database.write(work);
      });
    changeMeanwhile(email, first);
    expect(await browser.expectOk('sendLicense', { at, body: { license_key } })).toStrictEqual({ sent_to: first });
    changeMeanwhile(first, second);
    await browser.expectOk('issueLicense', { body: { email: first, send: true } });
    await sendMails(server);
    expect(smtp.mails.map(({ to }) => to)).toStrictEqual([first, second]);
  });

  it('a key of another license is not mailed, and an invalid recipient is refused', async () => {
    const { smtp, server, browser, email } = await start();
    const one = await browser.expectOk('issueLicense', { body: { email } });
    const other = await browser.expectOk('issueLicense', { body: {} });
    const at = (other.license as { id: string }).id;
    const wrongKey = await browser.call('sendLicense', { at, body: { license_key: one.license_key, email } });
    expect(wrongKey.body).toStrictEqual(envelope('LICENSE_NOT_FOUND'));
    for (const body of [{}, { email: 'nobody' }, { email: `${email}, mallory@example.com` }]) {
      const { license_key } = other;
      const response = await browser.call('sendLicense', { at, body: { license_key, ...body } });
      expect(response.body).toStrictEqual(envelope('VALIDATION_ERROR'));
    }
    await sendMails(server);
    expect(smtp.mails).toEqual([]);
  });
});
