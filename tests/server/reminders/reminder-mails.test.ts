/** Reminder mails: their recipients, their wording, and how many are sent. */
import { describe, expect, it } from 'vitest';
import type { Settings } from '../../harness/environment.ts';
import { day, hour, minute } from '../../harness/fake-clock.ts';
import { sendMails, startSmtpServer } from '../../harness/mails.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';
import { isoFromNow, issueLicense, signUp, subscriber } from '../../harness/users.ts';

async function setUp(settings: Settings = {}) {
  const smtp = await startSmtpServer();
  const server = await startTestApp({
    LATCHKEY_SMTP_URL: smtp.url,
    LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
    ...settings,
  });
  return { smtp, server };
}

async function remind(server: TestApp): Promise<void> {
  await server.services.reminders.run(async () => true);
  await sendMails(server);
}

describe('a reminder', () => {
  it('of a license names the license and the day in each language, but not the key', async () => {
    const { smtp, server } = await setUp();
    const user = await signUp(server);
    const end = '2026-03-13T12:00:00.000Z';
    const { license, key } = await issueLicense(server, '--email', user.email, '--expires-at', end);
    await remind(server);
    await remind(server);
    const [mail, ...others] = smtp.mails;
    expect(others).toEqual([]);
    expect(mail?.to).toBe(user.email);
    expect(mail?.subject).toBe(
      'Your license ends on March 13, 2026 / Ihre Lizenz läuft am 13. März 2026 ab / ライセンスの有効期限は 2026年3月13日 です',
    );
    const [english, german, japanese] = mail?.text.split('---') ?? [];
    const preview = String(license.key_preview);
    expect(english).toContain(`Your license ${preview} for the plan standard (account ${user.email}) ends on March 13`);
    expect(german).toContain(`Ihre Lizenz ${preview} für den Tarif standard (Konto ${user.email}) läuft am 13. März`);
    expect(japanese).toContain(
      `アカウント ${user.email} のライセンス ${preview}（standard プラン）の有効期限は 2026年3月13日`,
    );
    expect(mail?.text).not.toContain(key);
  });

  it.each([
    {
      what: 'subscription',
      words: ['--cancel-at-period-end'],
      subject:
        /^Your subscription ends on March 13, 2026 \/ Ihr Abonnement endet am 13\. März 2026 \/ サブスクリプションは/,
      texts: ['will not renew', 'verlängert sich nicht', '自動更新されません'],
    },
    {
      what: 'trial',
      words: ['--status', 'trialing'],
      subject: /^Your trial ends on March 13, 2026 \/ Ihre Testphase endet am 13\. März 2026 \/ 試用期間は/,
      texts: ['Your trial of the plan advanced', 'Ihre Testphase für den Tarif advanced', 'advanced プランの試用期間'],
    },
  ])('of a $what says so', async ({ words, subject, texts }) => {
    const { smtp, server } = await setUp();
    const { email } = await subscriber(server, 'advanced', '--period-end', '2026-03-13T12:00:00.000Z', ...words);
    await remind(server);
    expect(smtp.mails).toMatchObject([{ to: email, subject: expect.stringMatching(subject) }]);
    for (const text of texts) expect(smtp.mails[0]?.text).toContain(text);
  });

  it('goes to the owner of each license, and to nobody for licenses without an owner', async () => {
    const { smtp, server } = await setUp();
    const { email } = await signUp(server);
    for (let count = 0; count < 9; count++) {
      await issueLicense(server, '--email', email, '--expires-at', isoFromNow(server, 2 * day));
    }
    await issueLicense(server, '--expires-at', isoFromNow(server, 2 * day));
    await remind(server);
    await remind(server);
    expect(smtp.mails.map(({ to }) => to)).toEqual(Array(9).fill(email));
  });

  it('is no longer sent after the end', async () => {
    const { smtp, server } = await setUp();
    const { email } = await signUp(server);
    await issueLicense(server, '--email', email, '--expires-at', isoFromNow(server, 2 * hour));
    await server.services.reminders.run(async () => true);
    server.clock.advance(2 * hour + minute);
    await remind(server);
    expect(smtp.mails).toEqual([]);
  });

  it('cannot be used to flood a mailbox through trials of fake accounts', async () => {
    const { smtp, server } = await setUp({ LATCHKEY_TRIAL_PLAN: 'standard', LATCHKEY_TRIAL_DAYS: '2' });
    for (let count = 0; count < 10; count++) await signUp(server, `victim+${count}@example.com`);
    await remind(server);
    await remind(server);
    expect(smtp.mails).toHaveLength(4);
  });
});
