/** Mails that cannot be sent: `check` and the overview report them with the reason. */
import { expect, it, onTestFinished } from 'vitest';
import { checkDatabase } from '../../../server/backup/check-database.ts';
import { readConfig } from '../../../server/settings/config.ts';
import { saveMailFailure } from '../../../server/waiting-mails.ts';
import { minute } from '../../harness/fake-clock.ts';
import { freePort } from '../../harness/free-port.ts';
import { sendMails, startAppWithMail } from '../../harness/mails.ts';
import { SmtpServer } from '../../harness/smtp-server.ts';
import { newStaff, type StaffBrowser } from '../../harness/staff.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';
import { signUp } from '../../harness/users.ts';

/**
 * Starts an app with a mail server that is down and requires a password, with one mail to send. A new member of staff
 * adds another.
 */
async function startWithWaitingMail(): Promise<TestApp> {
  const app = await startTestApp({ LATCHKEY_SMTP_URL: `smtp://postman:s3cret@127.0.0.1:${await freePort()}` });
  const { email } = await signUp(app);
  await app.call('forgotPassword', { body: { email } });
  return app;
}

async function attentionOf(browser: StaffBrowser) {
  const { attention } = (await browser.expectOk('overview')) as { attention: { kind: string; params: object }[] };
  return attention.filter(({ kind }) => kind === 'mails_waiting');
}

async function mailWarningsOf(app: TestApp): Promise<string[]> {
  const { warnings } = await checkDatabase(app);
  return warnings.filter((warning) => warning.includes('mail'));
}

it('a mail that cannot be sent needs attention after a minute, with the error but without the password', async () => {
  const app = await startWithWaitingMail();
  const { browser } = await newStaff(app, 'viewer');
  await sendMails(app);
  expect([await attentionOf(browser), await mailWarningsOf(app)]).toStrictEqual([[], []]);
  const since = new Date(app.now()).toISOString();
  app.clock.advance(2 * minute);
  expect(await attentionOf(browser)).toStrictEqual([{ kind: 'mails_waiting', params: { count: 2 } }]);
  expect(await mailWarningsOf(app)).toStrictEqual([
    `2 mails wait to be sent, the oldest since ${since}; the last try failed (ECONNREFUSED, CONN): check LATCHKEY_SMTP_URL and the mail server`,
  ]);
});

it.skipIf(process.platform === 'win32')(
  'no mail leaves this machine in plain text, even without a password',
  async () => {
    const smtp = new SmtpServer();
    await smtp.start();
    onTestFinished(() => smtp.stop());
    // The name resolves to this machine without saying so, like the name of a relay in the same network.
    const app = await startTestApp({ LATCHKEY_SMTP_URL: smtp.url.replace('127.0.0.1', '0.0.0.0') });
    const { email } = await signUp(app);
    await app.call('forgotPassword', { body: { email } });
    await sendMails(app);
    app.clock.advance(2 * minute);
    expect(smtp.mails).toStrictEqual([]);
    expect(await mailWarningsOf(app)).toStrictEqual([expect.stringContaining('the last try failed')]);
  },
);

it('a mail that the mail server refuses to relay waits and is reported, and is sent once that is fixed', async () => {
  const { app, smtp, send } = await startAppWithMail();
  const { email } = await signUp(app);
  await app.call('forgotPassword', { body: { email } });
  smtp.rejection = `554 5.7.1 <${email}>: Relay access denied`;
  await send();
  app.clock.advance(2 * minute);
  expect(await mailWarningsOf(app)).toStrictEqual([
    expect.stringMatching(
      /the last try failed \(EENVELOPE, RCPT TO, 554, 5\.7\.1\): .+ from this server .+LATCHKEY_MAIL_FROM/,
    ),
  ]);
  smtp.rejection = undefined;
  await send();
  expect((await smtp.waitFor(email)).length).toBe(1);
  expect(await mailWarningsOf(app)).toStrictEqual([]);
});

it('a mail whose recipient the mail server does not know is dropped and causes no warning', async () => {
  const { app, smtp, send } = await startAppWithMail();
  const { email } = await signUp(app);
  await app.call('forgotPassword', { body: { email } });
  smtp.rejection = `550 5.1.1 <${email}>: User unknown`;
  await send();
  app.clock.advance(2 * minute);
  expect(await mailWarningsOf(app)).toStrictEqual([]);
});

it.each([
  ['EENVELOPE, MAIL FROM, 553, 5.7.1', /refused the sender: check LATCHKEY_MAIL_FROM$/],
  ['EENVELOPE, MAIL FROM, 530, 5.7.0', /requires a user name and password/],
  ['ERR_TLS_CERT_ALTNAME_INVALID, CONN', /certificate of the mail server is for another name/],
  ['CERT_HAS_EXPIRED, CONN', /has expired: renew it there$/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE, CONN', /does not trust: set NODE_EXTRA_CA_CERTS/],
  ['SELF_SIGNED_CERT_IN_CHAIN, CONN', /does not trust: set NODE_EXTRA_CA_CERTS/],
  ['EAUTH, AUTH PLAIN, 535', /refused the user name or password in LATCHKEY_SMTP_URL$/],
])('the warning about a mail server that fails with %s says what to do', async (failure, advice) => {
  const app = await startWithWaitingMail();
  await app.database.write((transaction) => saveMailFailure(transaction, { at_ms: app.now(), failure }));
  app.clock.advance(2 * minute);
  expect(await mailWarningsOf(app)).toStrictEqual([expect.stringMatching(advice)]);
});

it('a mail that was never attempted causes a warning too', async () => {
  const app = await startWithWaitingMail();
  app.clock.advance(2 * minute);
  expect(await mailWarningsOf(app)).toStrictEqual([expect.stringMatching(/check that the server runs, and its log$/)]);
  const withoutMail = { ...app, config: readConfig({ LATCHKEY_DATA: app.config.dataFolder }) };
  expect((await checkDatabase(withoutMail)).warnings.join()).toContain('LATCHKEY_SMTP_URL is not set');
});
