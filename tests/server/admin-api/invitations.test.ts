/** Invitations by staff: who may invite whom, what the link allows, and how it is mailed while it is shown. */
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { day, hour } from '../../harness/fake-clock.ts';
import { sendMails, startAppWithMail, startSmtpServer } from '../../harness/mails.ts';
import { envelope, timestamp, uuid } from '../../harness/response-shapes.ts';
import { auditActions, newStaff, type Staff } from '../../harness/staff.ts';
import { sharedApp, startTestApp } from '../../harness/start-app.ts';
import { goodPassword, newEmail, signUp } from '../../harness/users.ts';

const server = sharedApp();
let owner: Staff;
let support: Staff;
let viewer: Staff;

beforeAll(async () => {
  [owner, support, viewer] = [
    await newStaff(server, 'owner'),
    await newStaff(server, 'support'),
    await newStaff(server, 'viewer'),
  ];
});

const tokenIn = (link: unknown): string => /\/invitation#token=([\w-]{43})$/.exec(String(link))?.[1] ?? '';

function choose(token: string, password = goodPassword) {
  return server.call('resetPassword', { body: { token, new_password: password } });
}

/** Creates an account without a password that is staff. */
async function staffWithoutPassword(): Promise<string> {
  const email = newEmail();
  await server.services.staffAdmin.add(email, 'owner', byCommand);
  return email;
}

describe('staff who invite', () => {
  it.each(['owner', 'support'] as const)('as %s get the account and a link to this server', async (role) => {
    const email = newEmail();
    const member = { owner, support }[role];
    const body = { email, full_name: 'Ada W.', plan: 'standard' };
    const invited = await member.browser.expectOk('inviteAccount', { body });
    expect(invited).toStrictEqual({
      user: { id: uuid, email, full_name: 'Ada W.', created_at: timestamp },
      link: expect.stringMatching(/^http:\/\/[^/]+\/invitation#token=[\w-]{43}$/),
    });
    const account = await server.services.accounts.getByEmail(email);
    expect(await server.services.subscriptions.get(account.id)).toMatchObject({ plan: 'standard', status: 'active' });
    expect((await choose(tokenIn(invited.link))).status).toBe(200);
    expect((await server.call('login', { body: { email, password: goodPassword } })).status).toBe(200);
    const [entry] = (await auditActions(server, 'account.invite')).slice(0, 1);
    expect(entry).toMatchObject({
      actor: expect.stringContaining(member.email),
      target: `account ${email}`,
      details: { plan: 'standard', sent: false },
    });
  });

  it('as viewer are refused, and nothing changes', async () => {
    const email = newEmail();
    const { status, body } = await viewer.browser.call('inviteAccount', { body: { email } });
    expect([status, body]).toStrictEqual([403, envelope('FORBIDDEN')]);
    expect(await server.services.accounts.findByEmail(email)).toBeUndefined();
  });

  it.each(['owner', 'support'] as const)(
    'as %s get no link for an account of staff, which would remain valid after they lose their role',
    async (role) => {
      const email = await staffWithoutPassword();
      const { status, body } = await { owner, support }[role].browser.call('inviteAccount', { body: { email } });
      expect([status, body]).toStrictEqual([409, envelope('CONFLICT')]);
    },
  );

  it.each([
    [{ email: 'no address' }, 400, 'VALIDATION_ERROR'],
    [{ email: newEmail(), plan: 'unknown' }, 404, 'NOT_FOUND'],
    [{ email: newEmail(), full_name: 'x'.repeat(201) }, 400, 'VALIDATION_ERROR'],
    [{ email: newEmail(), send: true }, 400, 'VALIDATION_ERROR'],
    [{ email: newEmail(), send: 'yes' }, 400, 'VALIDATION_ERROR'],
  ])('with %j are refused, and nothing changes', async (body, status, code) => {
    const refused = await support.browser.call('inviteAccount', { body });
    expect([refused.status, refused.body]).toStrictEqual([status, envelope(code)]);
    expect(await server.services.accounts.findByEmail(body.email)).toBeUndefined();
  });

  it('are refused for an account that has a password', async () => {
    const { email } = await signUp(server);
    const { status, body } = await support.browser.call('inviteAccount', { body: { email } });
    expect([status, body]).toStrictEqual([409, envelope('CONFLICT')]);
  });

  it('again invalidate the previous link, and keep the name', async () => {
    const email = newEmail();
    const first = await owner.browser.expectOk('inviteAccount', { body: { email, full_name: 'Ada W.' } });
    const second = await support.browser.expectOk('inviteAccount', { body: { email } });
    expect(second.user).toStrictEqual(first.user);
    expect((await choose(tokenIn(first.link))).status).toBe(401);
    expect((await choose(tokenIn(second.link))).status).toBe(200);
  });
});

describe('an invitation link', () => {
  it('can be mailed while it is shown', async () => {
    const smtp = await startSmtpServer();
    const settings = { LATCHKEY_SMTP_URL: smtp.url, LATCHKEY_PUBLIC_URL: 'https://licenses.example.com' };
    const app = await startTestApp(settings);
    const member = await newStaff(app, 'support');
    const email = newEmail();
    const { link } = await member.browser.expectOk('inviteAccount', { body: { email } });
    expect(await member.browser.expectOk('sendInvitation', { body: { link } })).toStrictEqual({ sent_to: email });
    await sendMails(app);
    expect(smtp.mails.find(({ to }) => to === email)?.text).toContain(link);
    expect(await auditActions(app, 'account.invite')).toMatchObject([{ details: { sent_to: email } }, {}]);
    app.clock.advance(7 * day);
    const late = await newStaff(app, 'support');
    for (const body of [{ link }, { link: `${link}x` }]) {
      const { status, body: refused } = await late.browser.call('sendInvitation', { body });
      expect([status, refused]).toStrictEqual([409, envelope('CONFLICT')]);
    }
    const { body } = await late.browser.call('sendInvitation', { body: { link: 'https://licenses.example.com' } });
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it('is neither mailed nor recorded as mailed if it is used at that moment', async () => {
    const { app } = await startAppWithMail();
    const { browser } = await newStaff(app, 'support');
    const { link } = await browser.expectOk('inviteAccount', { body: { email: newEmail() } });
    const write = vi.spyOn(app.database, 'write');
    onTestFinished(() => write.mockRestore());
    write.mockImplementationOnce(async (work) => {
      const used = await app.call('resetPassword', { body: { token: tokenIn(link), new_password: goodPassword } });
      expect(used.status).toBe(200);
      return app.database.write(work);
    });
    const { body } = await browser.call('sendInvitation', { body: { link } });
    expect(body).toStrictEqual(envelope('CONFLICT'));
    expect(await auditActions(app, 'account.invite')).toHaveLength(1);
  });

  it.each([
    ['was removed', 'support', ({ id }: Staff) => server.services.staffAdmin.remove(id, byCommand)],
    [
      'lost the role support',
      'support',
      ({ id }: Staff) => server.services.staffAdmin.setRole(id, 'viewer', byCommand),
    ],
    ['lost the role owner', 'owner', ({ id }: Staff) => server.services.staffAdmin.setRole(id, 'support', byCommand)],
    ['was deleted', 'support', ({ email }: Staff) => server.services.accounts.remove(email, byCommand)],
  ] as const)('becomes invalid once the member who created it %s', async (_, role, change) => {
    const inviter = await newStaff(server, role);
    const invite = async ({ browser }: Staff) => {
      const { link } = await browser.expectOk('inviteAccount', { body: { email: newEmail() } });
      return tokenIn(link);
    };
    const [own, other] = [await invite(inviter), await invite(support)];
    await change(inviter);
    expect((await choose(own)).body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect((await choose(other)).status).toBe(200);
  });

  it('stays valid if the member who created it gets a higher role', async () => {
    const inviter = await newStaff(server, 'support');
    const { link } = await inviter.browser.expectOk('inviteAccount', { body: { email: newEmail() } });
    for (const role of ['support', 'owner'] as const) {
      await server.services.staffAdmin.add(inviter.email, role, byCommand);
    }
    expect((await choose(tokenIn(link))).status).toBe(200);
  });

  it('is mailed to a mailbox 4 times at once and then every 3 hours, however it is sent; the inviter learns of it', async () => {
    const smtp = await startSmtpServer();
    const settings = { LATCHKEY_SMTP_URL: smtp.url, LATCHKEY_PUBLIC_URL: 'https://licenses.example.com' };
    const app = await startTestApp(settings);
    const email = newEmail();
    const tagged = email.replace('@', '+tag@');
    const { browser } = await newStaff(app, 'support');
    const { link } = await browser.expectOk('inviteAccount', { body: { email } });
    const send = () => browser.call('sendInvitation', { body: { link } });
    for (let count = 0; count < 3; count++) expect((await send()).status).toBe(200);
    await browser.expectOk('inviteAccount', { body: { email: tagged, send: true } });
    const other = newEmail().replace('@', '+tag@');
    for (const refused of [
      await send(),
      await browser.call('inviteAccount', { body: { email: email.replace('@', '+other@'), send: true } }),
    ]) {
      expect([refused.status, refused.body]).toStrictEqual([409, envelope('CONFLICT')]);
    }
    expect(await app.services.accounts.findByEmail(email.replace('@', '+other@'))).toBeUndefined();
    await browser.expectOk('inviteAccount', { body: { email: other, send: true } });
    app.clock.advance(3 * hour);
    const later = (await newStaff(app, 'support')).browser;
    expect((await later.call('sendInvitation', { body: { link } })).status).toBe(200);
    await sendMails(app);
    expect(smtp.mails.filter(({ to }) => [email, tagged].includes(to))).toHaveLength(5);
  });

  it('is not mailed by a server without a mail server', async () => {
    const { link } = await support.browser.expectOk('inviteAccount', { body: { email: newEmail() } });
    const { status, body } = await support.browser.call('sendInvitation', { body: { link } });
    expect([status, body]).toStrictEqual([400, envelope('VALIDATION_ERROR')]);
  });
});
