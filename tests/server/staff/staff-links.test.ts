/** One-time links: the one for the first administrator, and those with which staff choose a password. */
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { hour, minute } from '../../harness/fake-clock.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { firstToken, newStaff, type Staff, StaffBrowser } from '../../harness/staff.ts';
import { sharedApp, startTestApp, type TestApp } from '../../harness/start-app.ts';
import { goodPassword, newEmail, signUp } from '../../harness/users.ts';

const newPassword = 'another quiet lantern 12';

async function newLink(server: TestApp, email: string): Promise<string> {
  const { id } = await server.services.staffAdmin.getByEmail(email);
  return (await server.services.staffAdmin.createLink(id, byCommand)).token;
}

describe('the link for the first administrator', () => {
  it('creates an account that is an owner, and signs in', async () => {
    const server = await startTestApp();
    const token = await firstToken(server);
    const browser = new StaffBrowser(server);
    const expires_at = new Date(server.now() + 24 * hour).toISOString();
    expect(await browser.expectOk('welcome', { body: { token } })).toStrictEqual({
      kind: 'first_admin',
      email: null,
      expires_at,
    });
    const email = newEmail();
    await browser.expectOk('redeemWelcome', { body: { token, email, password: goodPassword } });
    expect(await browser.expectOk('staffSession')).toMatchObject({ staff: { email, role: 'owner' } });
    expect((await new StaffBrowser(server).signIn(email)).status).toBe(200);
    expect((await server.call('login', { body: { email, password: goodPassword } })).status).toBe(200);
  });

  it('accepts an existing account only with its own password', async () => {
    const server = await startTestApp();
    const { email } = await signUp(server);
    const token = await firstToken(server);
    const browser = new StaffBrowser(server);
    const wrong = await browser.call('redeemWelcome', { body: { token, email, password: newPassword } });
    expect(wrong.body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
    expect(await server.services.staffAdmin.list()).toStrictEqual([]);
    await browser.expectOk('redeemWelcome', { body: { token, email, password: goodPassword } });
    expect(await browser.expectOk('staffSession')).toMatchObject({ staff: { email, role: 'owner' } });
  });

  it.each([
    ['without an email address', { password: goodPassword }],
    ['with one that is none', { email: 'nobody', password: goodPassword }],
    ['with a password that is too short', { email: 'first@example.com', password: 'short' }],
  ])('is rejected as VALIDATION_ERROR %s, and stays usable', async (_, fields) => {
    const server = await startTestApp();
    const token = await firstToken(server);
    const browser = new StaffBrowser(server);
    const { body } = await browser.call('redeemWelcome', { body: { token, ...fields } });
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
    await browser.expectOk('redeemWelcome', { body: { token, email: newEmail(), password: goodPassword } });
  });

  it('is replaced by the next one, and no longer exists once there is staff', async () => {
    const server = await startTestApp();
    const [first, second] = [await firstToken(server), await firstToken(server)];
    expect((await new StaffBrowser(server).call('welcome', { body: { token: first } })).status).toBe(401);
    expect((await new StaffBrowser(server).call('welcome', { body: { token: second } })).status).toBe(200);
    await newStaff(server, 'owner');
    expect(await firstToken(server)).toBe('');
    const { body } = await new StaffBrowser(server).call('redeemWelcome', {
      body: { token: second, email: newEmail(), password: goodPassword },
    });
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('creates only one owner when it is used several times at once', async () => {
    const server = await startTestApp();
    const token = await firstToken(server);
    const redeem = () =>
      new StaffBrowser(server).call('redeemWelcome', { body: { token, email: newEmail(), password: goodPassword } });
    const responses = await Promise.all([redeem(), redeem(), redeem()]);
    expect(responses.map(({ status }) => status).sort()).toStrictEqual([200, 401, 401]);
    expect(await server.services.staffAdmin.list()).toHaveLength(1);
    expect(await server.database.read.selectFrom('users').select('id').execute()).toHaveLength(1);
  });
});

describe('the link of a member', () => {
  const server = sharedApp();

  it('sets the password of an account without one, and signs in', async () => {
    const email = newEmail();
    await server.services.staffAdmin.add(email, 'support', byCommand);
    const token = await newLink(server, email);
    const browser = new StaffBrowser(server);
    expect(await browser.expectOk('welcome', { body: { token } })).toMatchObject({ kind: 'set_password', email });
    await browser.expectOk('redeemWelcome', { body: { token, email: newEmail(), password: newPassword } });
    expect(await browser.expectOk('staffSession')).toMatchObject({ staff: { email }, has_password: true });
    expect((await new StaffBrowser(server).signIn(email, newPassword)).status).toBe(200);
  });

  it('replaces a password and ends every session', async () => {
    const { email, browser } = await newStaff(server, 'viewer');
    const token = await newLink(server, email);
    await new StaffBrowser(server).expectOk('redeemWelcome', { body: { token, password: newPassword } });
    expect((await browser.call('staffSession')).status).toBe(401);
    expect((await new StaffBrowser(server).signIn(email)).status).toBe(401);
  });

  it.each([
    ['used twice', async (token: string) => void (await redeem(token))],
    ['older than 24 hours', async () => server.clock.advance(24 * hour)],
    ['replaced by another', async (_token: string, email: string) => void (await newLink(server, email))],
    [
      'of somebody who is not staff any more',
      async (_token: string, email: string) =>
        void (await server.services.staffAdmin.remove(
          (
            await server.services.staffAdmin.getByEmail(email)
          ).id,
          byCommand,
        )),
    ],
  ])('is rejected as INVALID_TOKEN when it is %s', async (_, spoil) => {
    const { email } = await newStaff(server, 'viewer');
    const token = await newLink(server, email);
    await spoil(token, email);
    for (const name of ['welcome', 'redeemWelcome'] as const) {
      const { status, body } = await new StaffBrowser(server).call(name, { body: { token, password: newPassword } });
      expect(status).toBe(401);
      expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
    }
  });

  it.each([
    ['has been removed', ({ id }: Staff) => server.services.staffAdmin.remove(id, byCommand)],
    ['has become less', ({ email }: Staff) => server.services.staffAdmin.add(email, 'support', byCommand)],
    ['was deleted', ({ email }: Staff) => server.services.accounts.remove(email, byCommand)],
  ])('stops working once the owner who created it %s', async (_, change) => {
    const [maker, other, member] = [
      await newStaff(server, 'owner'),
      await newStaff(server, 'owner'),
      await newStaff(server, 'owner'),
    ];
    const { url } = await maker.browser.expectOk('createStaffLink', { at: member.id });
    const kept = await other.browser.expectOk('createStaffLink', { at: (await newStaff(server, 'viewer')).id });
    await change(maker);
    const tokenIn = (link: unknown) => String(link).split('token=')[1] ?? '';
    expect((await redeem(tokenIn(url))).body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect((await new StaffBrowser(server).signIn(member.email)).status).toBe(200);
    expect((await redeem(tokenIn(kept.url))).status).toBe(200);
  });

  it('replaces an invitation of the account, since the person who created the invitation knows its link', async () => {
    const [maker, other] = [await newStaff(server, 'owner'), await newStaff(server, 'owner')];
    const email = newEmail();
    await other.browser.expectOk('createAccount', { body: { email } });
    const { link } = await maker.browser.expectOk('inviteAccount', { body: { email } });
    await other.browser.expectOk('addStaff', { body: { email, role: 'owner' } });
    const token = String(link).split('token=')[1] ?? '';
    const response = await server.call('resetPassword', { body: { token, new_password: newPassword } });
    expect(response.body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('cannot be created by a former owner', async () => {
    const [maker, member] = [await newStaff(server, 'support'), await newStaff(server, 'owner')];
    const by = { actor: { kind: 'staff', id: maker.id, email: maker.email } } as const;
    await expect(server.services.staffAdmin.createLink(member.id, by)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('works for only one of several simultaneous uses', async () => {
    const { email } = await newStaff(server, 'viewer');
    const token = await newLink(server, email);
    const responses = await Promise.all([redeem(token), redeem(token), redeem(token)]);
    expect(responses.map(({ status }) => status).sort()).toStrictEqual([200, 401, 401]);
  });

  it('is valid until its 24 hours are over', async () => {
    const { email } = await newStaff(server, 'viewer');
    const token = await newLink(server, email);
    server.clock.advance(24 * hour - minute);
    expect((await redeem(token)).status).toBe(200);
  });

  it('is stored in the database only as a hash', async () => {
    const { email } = await newStaff(server, 'viewer');
    const token = await newLink(server, email);
    const rows = await server.database.read.selectFrom('staff_links').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  function redeem(token: string) {
    return new StaffBrowser(server).call('redeemWelcome', { body: { token, password: newPassword } });
  }
});
