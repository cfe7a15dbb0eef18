/**
 * What staff are informed of by mail, and what a new password invalidates, so that misuse of their access is noticed.
 */
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { Authenticator } from '../../harness/authenticator.ts';
import { hour } from '../../harness/fake-clock.ts';
import { sendMails, startSmtpServer } from '../../harness/mails.ts';
import { envelope } from '../../harness/response-shapes.ts';
import type { ReceivedMail, SmtpServer } from '../../harness/smtp-server.ts';
import { newStaff, type Staff, StaffBrowser } from '../../harness/staff.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';
import { goodPassword, newEmail, signUp } from '../../harness/users.ts';

const origin = 'https://licenses.example.com';
const newPassword = 'another quiet lantern 12';

type Started = { readonly app: TestApp; readonly smtp: SmtpServer; readonly owner: Staff; readonly member: Staff };

/** Starts a server with an owner and a viewer whose first mails have been sent. */
async function start(): Promise<Started> {
  const smtp = await startSmtpServer();
  const app = await startTestApp({ LATCHKEY_SMTP_URL: smtp.url, LATCHKEY_PUBLIC_URL: origin });
  const [owner, member] = [await newStaff(app, 'owner'), await newStaff(app, 'viewer')];
  await sendMails(app);
  smtp.mails.length = 0;
  return { app, smtp, owner, member };
}

async function mailsTo({ app, smtp }: Started, email: string): Promise<ReceivedMail[]> {
  await sendMails(app);
  return smtp.mails.filter(({ to }) => to === email);
}

async function addPasskey({ browser }: Staff, name: string): Promise<string> {
  const { options } = await browser.expectOk('addPasskeyOptions');
  const credential = new Authenticator({ origin }).register(options as Readonly<Record<string, unknown>>);
  return String((await browser.expectOk('addPasskey', { body: { name, credential } })).id);
}

describe('a member of staff is informed by mail, in every language,', () => {
  type Case = [string, (started: Started) => Promise<unknown>, string[]];
  const cases: Case[] = [
    [
      'of a new passkey, with its name',
      ({ member }) => addPasskey(member, 'Laptop of Ada'),
      ['The passkey “Laptop of Ada”', 'der Passkey „Laptop of Ada“', 'パスキー「Laptop of Ada」'],
    ],
    [
      'of a link to set their password',
      ({ owner, member }) => owner.browser.expectOk('createStaffLink', { at: member.id }),
      ['A link was created', 'wurde ein Link erstellt', 'リンクが作成されました'],
    ],
    [
      'of a link that a command printed',
      ({ app, member }) => app.services.staffAdmin.createLink(member.id, byCommand),
      ['A link was created', 'wurde ein Link erstellt', 'リンクが作成されました'],
    ],
    [
      'of another role',
      ({ owner, member }) => owner.browser.expectOk('setStaffRole', { at: member.id, body: { role: 'support' } }),
      ['now has the role “Support”', 'jetzt die Rolle „Support“', '役割が「サポート」になりました'],
    ],
    [
      'of a role that adding them again gives',
      ({ app, member }) => app.services.staffAdmin.add(member.email, 'owner', byCommand),
      ['now has the role “Owner”', 'jetzt die Rolle „Inhaber“', '役割が「オーナー」になりました'],
    ],
    [
      'of a password that an owner set',
      ({ owner, member }) =>
        owner.browser.expectOk('setAccountPassword', { at: member.id, body: { password: newPassword } }),
      ['An owner of the license server set', 'Ein Inhaber des Lizenzservers hat', 'ライセンスサーバーのオーナーが'],
    ],
    [
      'of the end of their access',
      ({ owner, member }) => owner.browser.expectOk('removeStaff', { at: member.id }),
      ['can no longer use the admin page', 'hat keinen Zugang mehr', '利用できなくなりました'],
    ],
  ];

  it.each(cases)('%s', async (_, act, texts) => {
    const started = await start();
    await act(started);
    const { email } = started.member;
    const mails = await mailsTo(started, email);
    expect(mails).toHaveLength(1);
    for (const text of [...texts, email]) expect(mails[0]?.text).toContain(text);
    expect(await mailsTo(started, started.owner.email)).toEqual([]);
  });

  it('that they were added, and not again while their role stays the same', async () => {
    const started = await start();
    const { app } = started;
    const email = newEmail();
    for (const role of ['support', 'support', undefined] as const) {
      await app.services.staffAdmin.add(email, role, byCommand);
    }
    const mails = await mailsTo(started, email);
    expect(mails.map(({ text }) => text.includes('now has the role “Support”'))).toEqual([true]);
  });

  it('of every event, even at the same time and however many notices of another kind were sent', async () => {
    const started = await start();
    const { app, member } = started;
    for (let count = 0; count < 12; count++) await app.services.staffAdmin.createLink(member.id, byCommand);
    expect(await mailsTo(started, member.email)).toHaveLength(8);
    await addPasskey(member, 'First');
    await addPasskey(member, 'Second');
    expect(await mailsTo(started, member.email)).toHaveLength(10);
  });
});

it('the mail about a new password lists the passkeys that can still sign in to the admin page', async () => {
  const started = await start();
  const { member } = started;
  await addPasskey(member, 'Laptop of Ada');
  const body = { current_password: goodPassword, new_password: newPassword };
  for (const [language, text] of [
    ['en', 'These passkeys can still sign in'],
    ['de', 'Mit diesen Passkeys'],
    ['ja', '次のパスキーでは'],
  ] as const) {
    await member.browser.expectOk('changeStaffPassword', { body: { ...body, language } });
    [body.current_password, body.new_password] = [body.new_password, `${body.new_password} 2`];
    const mail = (await mailsTo(started, member.email)).at(-1);
    expect(mail?.text).toContain(text);
    expect(mail?.text).toContain('Laptop of Ada');
  }
});

describe('an older link of a member', () => {
  const ways: [string, (started: Started) => Promise<unknown>][] = [
    [
      'the member changes their password on the admin page',
      ({ member }) =>
        member.browser.expectOk('changeStaffPassword', {
          body: { current_password: goodPassword, new_password: newPassword },
        }),
    ],
    [
      'the member changes their password in the app',
      async ({ app, member }) => {
        const { body } = await app.call('login', { body: { email: member.email, password: goodPassword } });
        const change = { current_password: goodPassword, new_password: newPassword };
        expect((await app.call('changePassword', { token: String(body.access_token), body: change })).status).toBe(200);
      },
    ],
    [
      'the password is reset by mail',
      async (started) => {
        const { app, member } = started;
        await app.call('forgotPassword', { body: { email: member.email } });
        const text = (await mailsTo(started, member.email)).at(-1)?.text ?? '';
        const token = /\/reset#token=([\w-]+)/.exec(text)?.[1];
        expect((await app.call('resetPassword', { body: { token, new_password: newPassword } })).status).toBe(200);
      },
    ],
    [
      'an owner sets the password',
      ({ owner, member }) =>
        owner.browser.expectOk('setAccountPassword', { at: member.id, body: { password: newPassword } }),
    ],
    [
      'a command sets the password',
      ({ app, member }) => app.services.passwords.set(member.email, newPassword, byCommand),
    ],
  ];

  it.each(ways)('is invalid once %s', async (_, setPassword) => {
    const started = await start();
    const { app, member } = started;
    const { token } = await app.services.staffAdmin.createLink(member.id, byCommand);
    app.clock.advance(hour / 60);
    await setPassword(started);
    const { status, body } = await new StaffBrowser(app).call('redeemWelcome', {
      body: { token, password: `${newPassword} of a thief` },
    });
    expect([status, body]).toStrictEqual([401, envelope('INVALID_TOKEN')]);
    expect((await new StaffBrowser(app).signIn(member.email, newPassword)).status).toBe(200);
  });
});

describe('a password that staff have set', () => {
  const texts = ['Your password was changed', 'Ihr Passwort wurde geändert', 'パスワードが変更されました'];

  it('is reported in every language to the owner of the account, who may have been locked out by support', async () => {
    const started = await start();
    const user = await signUp(started.app);
    const support = await newStaff(started.app, 'support');
    const body = { password: newPassword };
    await support.browser.expectOk('setAccountPassword', { at: user.id, body });
    const [mail, ...others] = await mailsTo(started, user.email);
    expect(others).toEqual([]);
    for (const text of texts) expect(mail?.subject).toContain(text);
    expect(mail?.text).toContain(user.email);
  });

  it('is reported to a member of staff whose own password it is, with the passkeys that remain valid', async () => {
    const started = await start();
    const { member } = started;
    await started.app.services.staffAdmin.setRole(member.id, 'support', byCommand);
    await addPasskey(member, 'Laptop of Ada');
    await mailsTo(started, member.email);
    started.smtp.mails.length = 0;
    await member.browser.expectOk('setAccountPassword', { at: member.id, body: { password: newPassword } });
    const [mail, ...others] = await mailsTo(started, member.email);
    expect(others).toEqual([]);
    for (const text of [...texts, 'Laptop of Ada']) expect(`${mail?.subject} ${mail?.text}`).toContain(text);
  });
});
