/** How many mails an address gets per day, whatever strangers do on the server: few, and fewer if it is unconfirmed. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { insertRows } from '../../../server/database/queries.ts';
import { takeMailAllowance } from '../../../server/mail/mail-allowance.ts';
import type { Services, ServicesDeps } from '../../../server/services.ts';
import { createFakeClock, day, hour, minute } from '../../harness/fake-clock.ts';
import { createMailDelivery, sendMails, startAppWithMail } from '../../harness/mails.ts';
import type { SmtpServer } from '../../harness/smtp-server.ts';
import { startApp, type TestApp } from '../../harness/start-app.ts';
import { goodPassword, issueLicense, newEmail, signUp, type User } from '../../harness/users.ts';
import { describeEachDatabase, withServices } from '../audit/databases.ts';

const confirmed = { LATCHKEY_CONFIRM_EMAIL: '1' };

const mailsTo = (smtp: SmtpServer, email: string) => smtp.mails.filter(({ to }) => to === email).length;

/** Does everything a stranger can do with another person's address that sends mail to it. */
async function bomb(app: TestApp, email: string): Promise<void> {
  const { token, password } = await signUp(app, email);
  await app.call('forgotPassword', { body: { email } });
  await sendMails(app);
  const change = { current_password: password, new_password: `${password} 2` };
  expect((await app.call('changePassword', { token, body: change })).status).toBe(200);
  const { body } = await app.call('login', { body: { email, password: `${password} 2` } });
  await sendMails(app);
  const deletion = { token: String(body.access_token), body: { password: `${password} 2` } };
  expect((await app.call('deleteOwnAccount', deletion)).status).toBe(200);
  await sendMails(app);
}

async function confirmAddress(app: TestApp, smtp: SmtpServer, { email }: User): Promise<void> {
  await sendMails(app);
  const mail = smtp.mails.findLast(({ to, text }) => to === email && text.includes('/confirm#'));
  const token = /\/confirm#token=([\w-]+)/.exec(mail?.text ?? '')?.[1];
  expect((await app.call('confirmEmail', { body: { token } })).status).toBe(200);
}

describe('ten thousand waiting mails', () => {
  const kinds = ['confirm_email', 'change_email', 'reset_password'] as const;
  it.each(kinds)('of the kind %s get no additions, and do not block other kinds', async (full) => {
    const { app } = await startAppWithMail(confirmed);
    const { token, password } = await signUp(app);
    const waiting = Array.from({ length: 10_000 }, (_, number) => ({
      ...{ id: `waiting-${number}`, kind: full, encrypted_mail: '', dedupe_key: null, tries: 1 },
      ...{ created_at_ms: 0, next_try_at_ms: Number.MAX_SAFE_INTEGER, give_up_at_ms: Number.MAX_SAFE_INTEGER },
    }));
    await app.database.write((transaction) => insertRows(transaction, 'mails', waiting));
    const countOf = async (kind: string) =>
      (await app.database.read.selectFrom('mails').select('id').where('kind', '=', kind).execute()).length;
    const before = Object.fromEntries(await Promise.all(kinds.map(async (kind) => [kind, await countOf(kind)])));
    const asked = {
      reset_password: await app.call('forgotPassword', { body: { email: newEmail() } }),
      change_email: await app.call('changeEmail', { token, body: { email: newEmail(), password } }),
      confirm_email: await app.call('sendEmailConfirmation', { token: (await signUp(app)).token }),
    };
    for (const kind of kinds) {
      expect(asked[kind].status, kind).toBe(kind === full ? 503 : 200);
      if (kind === full) expect(await countOf(kind)).toBe(before[kind]);
      else expect(await countOf(kind)).toBeGreaterThan(before[kind] ?? 0);
    }
  });
});

describe('a new mail', () => {
  it('is sent before those that the mail server did not take, however many of them are due', async () => {
    const { app, smtp, send } = await startAppWithMail(confirmed);
    smtp.rejection = '450 4.1.2 Domain not found';
    for (let count = 0; count < 12; count++) await signUp(app);
    await send();
    app.clock.advance(3 * day - minute);
    const { email } = await signUp(app);
    smtp.rejection = undefined;
    await send();
    expect(smtp.mails).toHaveLength(13);
    expect(smtp.mails.slice(0, 5).map(({ to }) => to)).toContain(email);
  });
});

describe('the log', () => {
  /** Returns the number of lines about mails, and how many more the last one says were omitted. */
  const linesOf = (app: TestApp) => {
    const lines = app
      .logText()
      .split('\n')
      .filter((line) => line.includes('"a mail '))
      .map((line) => JSON.parse(line));
    return { count: lines.length, omitted: lines.at(-1)?.omitted };
  };

  it('has few lines a minute about mails to an address that got enough, however many strangers request', async () => {
    const { app } = await startAppWithMail({ LATCHKEY_TRUST_PROXY: '1' });
    const { email } = await signUp(app);
    const delivery = createMailDelivery(app);
    const requestFromNetworks = async (from: number, count: number) => {
      for (let network = from; network < from + count; network++) {
        const headers = { 'x-forwarded-for': `2001:db8:0:${network}::1` };
        expect((await app.call('forgotPassword', { body: { email }, headers })).status).toBe(200);
      }
      await delivery.run();
    };
    // Three links are sent.
    await requestFromNetworks(1, 40);
    await requestFromNetworks(41, 23);
    expect(linesOf(app)).toStrictEqual({ count: 30, omitted: undefined });
    app.clock.advance(minute);
    await requestFromNetworks(64, 1);
    expect(linesOf(app)).toStrictEqual({ count: 31, omitted: 30 });
  });

  it('has few lines a minute about mails that no mail server takes, however many are tried again', async () => {
    const { app, smtp } = await startAppWithMail();
    smtp.rejection = '450 4.1.2 Domain not found';
    const delivery = createMailDelivery(app);
    const reported = {
      kind: 'api_key_reported',
      key_prefix: 'svc_live_abcd',
      revoked_at: '2026-01-01T00:00:00Z',
    } as const;
    await app.database.write(async (transaction) => {
      for (let count = 0; count < 40; count++) {
        await app.services.mailQueue.add(transaction, { ...reported, email: newEmail() });
      }
    });
    await delivery.run();
    expect(linesOf(app)).toStrictEqual({ count: 30, omitted: undefined });
    app.clock.advance(hour);
    await delivery.run();
    expect(linesOf(app)).toMatchObject({ count: 60 });
    app.clock.advance(hour);
    await delivery.run();
    expect(linesOf(app)).toMatchObject({ count: 90 });
    expect(smtp.recipients).toBe(120);
  });
});

describe('an unconfirmed address', () => {
  it('gets at most four links of a kind and four notices at once, and twelve of each a day, however often strangers use it', async () => {
    const { app, smtp } = await startAppWithMail(confirmed);
    const email = newEmail();
    for (let round = 0; round < 5; round++) await bomb(app, email);
    expect(mailsTo(smtp, email)).toBe(12);
    app.clock.advance(3 * hour);
    await bomb(app, email);
    expect(mailsTo(smtp, email)).toBe(15);
    for (let hours = 4; hours < 24; hours++) {
      app.clock.advance(hour);
      await bomb(app, email);
    }
    expect(mailsTo(smtp, email)).toBe(33);
    app.clock.advance(hour);
    await bomb(app, email);
    expect(mailsTo(smtp, email)).toBe(36);
  });

  it('gets four links, however many accounts request it as their new address, with any tag', async () => {
    const { app, smtp } = await startAppWithMail(confirmed);
    const [name = '', domain = ''] = newEmail().split('@');
    for (let round = 0; round < 7; round++) {
      const { token, password } = await signUp(app);
      const email = round % 2 ? `${name}@${domain}` : `${name}+${round}@${domain}`;
      expect((await app.call('changeEmail', { token, body: { email, password } })).body).toEqual({ success: true });
      await sendMails(app);
    }
    expect(smtp.mails.filter(({ to }) => to.startsWith(name))).toHaveLength(4);
  });

  it('gets four links, however its domain is written', async () => {
    const { app, smtp } = await startAppWithMail(confirmed);
    const [name = ''] = newEmail().split('@');
    const domains = ['bücher.example', 'BÜCHER.example', 'xn--bcher-kva.example', 'b\u00fccher.ｅxample'];
    for (const domain of [...domains, 'büch𝐞r.example', '𝐛ücher.example', 'bü𝖼her.example']) {
      const { token, password } = await signUp(app);
      const body = { email: `${name}@${domain}`, password };
      expect((await app.call('changeEmail', { token, body })).body).toEqual({ success: true });
      await sendMails(app);
    }
    expect(smtp.mails.filter(({ to }) => to.startsWith(name))).toHaveLength(4);
  });

  it('gets no more after a restart, and the responses do not reveal it', async () => {
    const { app, smtp, settings } = await startAppWithMail(confirmed);
    const user = await signUp(app);
    const { clock, dataFolder } = app;
    const ask = async (server: TestApp) => {
      const { status, text } = await server.call('forgotPassword', { body: { email: user.email } });
      await sendMails(server);
      clock.advance(31 * minute);
      return [status, text];
    };
    const first = await ask(app);
    for (let round = 0; round < 4; round++) expect(await ask(app)).toStrictEqual(first);
    expect(count(smtp, user, 'Set a new password')).toBe(4);
    const other = await startApp(settings, { clock, dataFolder });
    onTestFinished(() => other.stop());
    expect(await ask(other)).toStrictEqual(first);
    expect(count(smtp, user, 'Set a new password')).toBe(4);
    expect(other.logText()).toContain('got enough');
    expect(other.logText()).not.toContain(user.email);
  });

  it('gets a link requested for it immediately, however many strangers request the address as their own', async () => {
    const { app, smtp } = await startAppWithMail(confirmed);
    const user = await signUp(app);
    const strangers = [await signUp(app), await signUp(app), await signUp(app)];
    for (let round = 0; round < 12; round++) {
      for (const [number, { token, password }] of strangers.entries()) {
        const email = user.email.replace('@', `+${number}@`);
        await app.call('changeEmail', { token, body: { email, password } });
      }
      await sendMails(app);
      app.clock.advance(10 * minute);
    }
    await app.call('forgotPassword', { body: { email: user.email } });
    await app.call('sendEmailConfirmation', { token: await tokenOf(app, user) });
    await sendMails(app);
    expect(count(smtp, user, 'Set a new password')).toBe(1);
    expect(count(smtp, user, 'Confirm your email address')).toBeGreaterThanOrEqual(2);
  });

  it('gets a link for a new password within three hours, however many of them strangers request', async () => {
    const { app, smtp } = await startAppWithMail(confirmed);
    const { email } = await signUp(app);
    for (let minutes = 0; minutes < 24 * 60; minutes += 30) {
      await app.call('forgotPassword', { body: { email }, from: '192.0.2.7' });
      await sendMails(app);
      app.clock.advance(30 * minute);
    }
    const before = mailsTo(smtp, email);
    app.clock.advance(150 * minute);
    await app.call('forgotPassword', { body: { email } });
    await sendMails(app);
    expect(mailsTo(smtp, email)).toBe(before + 1);
  });

  it('of a member of staff gets every notice, however many mails strangers caused', async () => {
    const { app, smtp } = await startAppWithMail(confirmed);
    const { email } = await app.services.staffAdmin.add(newEmail(), 'owner', byCommand);
    for (let round = 0; round < 5; round++) await bomb(app, email.replace('@', `+${round}@`));
    const before = mailsTo(smtp, email);
    await app.services.staffAdmin.createLink((await app.services.staffAdmin.getByEmail(email)).id, byCommand);
    await sendMails(app);
    expect(mailsTo(smtp, email)).toBe(before + 1);
  });

  it('at Google has one allowance, wherever its dots are', async () => {
    const { app, smtp } = await startAppWithMail(confirmed);
    for (const name of ['some.body', 's.omebody', 'somebody+x', 'so.me.bo.dy']) await bomb(app, `${name}@gmail.com`);
    await bomb(app, 'somebody@googlemail.com');
    expect(smtp.mails).toHaveLength(8);
  });

  it('gets every license that an admin mails to it', async () => {
    const { app, smtp } = await startAppWithMail(confirmed);
    const { email } = await signUp(app);
    for (let count = 0; count < 12; count++) await issueLicense(app, '--email', email, '--send');
    await sendMails(app);
    expect(smtp.mails.filter(({ to, subject }) => to === email && subject === 'Your license key')).toHaveLength(12);
  });
});

describe('a confirmed address', () => {
  it('gets eight links and eight notices of a kind at once', async () => {
    const { app, smtp } = await startAppWithMail(confirmed);
    const user = await signUp(app);
    await confirmAddress(app, smtp, user);
    for (let round = 0; round < 10; round++) {
      await askElsewhere(app, user);
      await changePassword(app, user, round);
    }
    expect(count(smtp, user, 'Set a new password')).toBe(8);
    expect(count(smtp, user, 'Your password was changed')).toBe(8);
  });

  it('is notified of another action, however many notices of one kind it got', async () => {
    const { app, smtp } = await startAppWithMail(confirmed);
    const user = await signUp(app);
    await confirmAddress(app, smtp, user);
    for (let round = 0; round < 9; round++) await changePassword(app, user, round);
    const tagged = user.email.replace('@', '+tag@');
    for (let round = 0; round < 5; round++) await bomb(app, tagged);
    const password = passwordOf(9);
    const { body } = await app.call('login', { body: { email: user.email, password } });
    const deletion = { token: String(body.access_token), body: { password } };
    expect((await app.call('deleteOwnAccount', deletion)).status).toBe(200);
    await sendMails(app);
    expect(count(smtp, user, 'Your account was deleted')).toBe(1);
  });

  it('is notified that the account has a new address, however many mails strangers caused', async () => {
    const { app, smtp } = await startAppWithMail(confirmed);
    const user = await signUp(app);
    await confirmAddress(app, smtp, user);
    for (let round = 0; round < 5; round++) await bomb(app, user.email.replace('@', '+tag@'));
    const { body } = await app.call('login', { body: { email: user.email, password: user.password } });
    const email = newEmail();
    await app.call('changeEmail', { token: String(body.access_token), body: { email, password: user.password } });
    await confirmAddress(app, smtp, { ...user, email });
    await sendMails(app);
    expect(count(smtp, user, 'Your email address was changed')).toBe(1);
  });

  it('gets the link that its owner requests while one requested by a stranger is waiting', async () => {
    const { app, smtp } = await startAppWithMail(confirmed);
    const user = await signUp(app);
    await confirmAddress(app, smtp, user);
    const links = () => count(smtp, user, 'Set a new password');
    for (let round = 0; round < 16; round++) {
      await askElsewhere(app, user);
      app.clock.advance(11 * minute);
    }
    const asked = links();
    const ask = (from: string) => app.call('forgotPassword', { body: { email: user.email }, from });
    for (const from of ['203.0.113.9', '127.0.0.1', '127.0.0.1']) await ask(from);
    await sendMails(app);
    expect(links()).toBe(asked + 1);
  });

  it('gets a link immediately where its owner has signed in before, and anywhere within 90 minutes', async () => {
    const { app, smtp } = await startAppWithMail(confirmed);
    const user = await signUp(app);
    await confirmAddress(app, smtp, user);
    const links = () => count(smtp, user, 'Set a new password');
    for (let round = 0; round < 16; round++) {
      await askElsewhere(app, user);
      app.clock.advance(11 * minute);
    }
    const asked = links();
    expect(asked).toBeLessThan(16);
    await app.call('forgotPassword', { body: { email: user.email } });
    await sendMails(app);
    expect(links()).toBe(asked + 1);
    app.clock.advance(90 * minute);
    await askElsewhere(app, user);
    expect(links()).toBe(asked + 2);
  });
});

describe('a mail whose first attempts failed', () => {
  it('counts once, and is sent however often it was attempted', async () => {
    const { app, smtp } = await startAppWithMail(confirmed);
    const { email } = await signUp(app);
    smtp.rejection = '451 try later';
    for (let tries = 0; tries < 4; tries++) {
      await sendMails(app);
      app.clock.advance(5 * minute);
    }
    smtp.rejection = undefined;
    await sendMails(app);
    expect(mailsTo(smtp, email)).toBe(1);
    for (let round = 0; round < 6; round++) {
      await app.call('forgotPassword', { body: { email } });
      await sendMails(app);
    }
    expect(mailsTo(smtp, email)).toBe(4);
  });
});

describeEachDatabase((database) => {
  it('processes that send at the same time share the allowance of an address', async () => {
    const admin = await database.createAdmin();
    await withServices(admin, async (_services, { database, clock }) => {
      const notice = { topic: 'password_changed', email: 'nobody@example.com', isLink: false, isConfirmed: false };
      const takes = Array.from({ length: 12 }, () =>
        database.write((transaction) => takeMailAllowance(transaction, notice, clock.now())),
      );
      expect((await Promise.all(takes)).filter(Boolean)).toHaveLength(4);
    });
  });

  it('a process whose clock is slightly behind gets no additional allowance', async () => {
    const admin = await database.createAdmin();
    const clock = createFakeClock();
    const work = async (_services: Services, { database }: ServicesDeps) => {
      const notice = { topic: 'password_changed', email: 'nobody@example.com', isLink: false, isConfirmed: false };
      const take = () => database.write((transaction) => takeMailAllowance(transaction, notice, clock.now()));
      for (let round = 0; round < 4; round++) expect(await take()).toBe(true);
      clock.advance(-minute);
      expect(await take()).toBe(false);
    };
    await withServices(admin, work, clock);
  });

  it('the allowance is deleted once it is complete again, and a clock that was ahead blocks nothing', async () => {
    const admin = await database.createAdmin();
    const clock = createFakeClock();
    const work = async (_services: Services, { database }: ServicesDeps) => {
      const take = (email: string) => {
        const notice = { topic: 'password_changed', email, isLink: false, isConfirmed: false };
        return database.write((transaction) => takeMailAllowance(transaction, notice, clock.now()));
      };
      for (const name of ['a', 'b', 'c']) expect(await take(`${name}@example.com`)).toBe(true);
      clock.advance(3 * hour);
      expect(await take('d@example.com')).toBe(true);
      expect(await database.read.selectFrom('mail_allowances').select('bucket_hash').execute()).toHaveLength(1);
      clock.advance(400 * day);
      for (let round = 0; round < 5; round++) await take('e@example.com');
      clock.advance(-400 * day);
      expect(await take('e@example.com')).toBe(true);
    };
    await withServices(admin, work, clock);
  });
});

const tokenOf = async (app: TestApp, { email, password }: User) =>
  String((await app.call('login', { body: { email, password } })).body.access_token);

const passwordOf = (round: number) => (round === 0 ? goodPassword : `${goodPassword} ${round}`);
const count = (smtp: SmtpServer, { email }: User, wanted: string) =>
  smtp.mails.filter(({ to, subject }) => to === email && subject === wanted).length;

/** Requests a link from a network from which the account has never signed in. */
async function askElsewhere(app: TestApp, { email }: User): Promise<void> {
  await app.call('forgotPassword', { body: { email }, from: '192.0.2.7' });
  await sendMails(app);
}

/** Changes the password to the next one in the sequence. */
async function changePassword(app: TestApp, { email }: User, round: number): Promise<void> {
  const change = { current_password: passwordOf(round), new_password: passwordOf(round + 1) };
  const { body } = await app.call('login', { body: { email, password: passwordOf(round) } });
  expect((await app.call('changePassword', { token: String(body.access_token), body: change })).status).toBe(200);
  await sendMails(app);
}
