/** Irreversible actions are confirmed by signing in to the provider again. */
import { describe, expect, it } from 'vitest';
import { minute } from '../../harness/fake-clock.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { SingleSignOnBrowser } from '../../harness/single-sign-on.ts';
import { auditActions, newStaff } from '../../harness/staff.ts';
import { goodPassword, newEmail } from '../../harness/users.ts';
import { startOidcProvider, startWithProvider } from './server-with-provider.ts';

const person = (email = newEmail()) => ({ email, email_verified: true, groups: ['admins'] });

/** Starts a server with a member of staff who has signed in through the provider. */
async function start() {
  const provider = await startOidcProvider();
  const server = await startWithProvider(provider.settings);
  const browser = new SingleSignOnBrowser(server);
  const member = provider.letIn(person());
  expect(await browser.signIn()).toBe('signed_in');
  /** Tries to add a member of staff, which requires a confirmation. */
  const addColleague = async () =>
    (await browser.call('addStaff', { body: { email: newEmail(), role: 'viewer' } })).body;
  return { provider, server, browser, member, addColleague };
}

describe('a member who signed in through the provider', () => {
  it('has not confirmed anything by that, since the session at the provider may be hours old', async () => {
    const { browser, addColleague } = await start();
    expect(await browser.expectOk('staffSession')).toMatchObject({ confirmed_until: null });
    expect(await addColleague()).toStrictEqual(envelope('CONFIRMATION_REQUIRED'));
  });

  it('confirms by signing in there again, which holds for five minutes and renews the session secret', async () => {
    const { server, browser, addColleague } = await start();
    const before = browser.cookies.get('latchkey_staff');
    expect(await browser.confirm()).toBe('confirmed');
    expect(browser.cookies.get('latchkey_staff')).not.toBe(before);
    expect(await addColleague()).toMatchObject({ staff: { role: 'viewer' } });
    server.clock.advance(5 * minute);
    expect(await addColleague()).toStrictEqual(envelope('CONFIRMATION_REQUIRED'));
    expect(await auditActions(server, 'staff.confirm')).toMatchObject([{ details: { method: 'single sign-on' } }]);
  });

  it('cannot let somebody else confirm, whose sign-in leaves nothing behind', async () => {
    const { provider, server, browser, addColleague } = await start();
    const { email } = provider.letIn(person());
    browser.leaveProvider();
    expect(await browser.confirm()).toBe('SSO_OTHER_ACCOUNT');
    expect(await addColleague()).toStrictEqual(envelope('CONFIRMATION_REQUIRED'));
    expect(await server.services.accounts.findByEmail(email)).toBeUndefined();
  });

  it('cannot confirm once the groups give no role, and loses rights if they give a lower one', async () => {
    const { provider, server, browser, member, addColleague } = await start();
    await newStaff(server, 'owner');
    provider.letIn({ ...member, groups: [] });
    expect(await browser.confirm()).toBe('SSO_NO_ROLE');
    provider.letIn({ ...member, groups: ['readers'] });
    expect(await browser.confirm()).toBe('confirmed');
    expect(await addColleague()).toStrictEqual(envelope('FORBIDDEN'));
  });

  it('cannot confirm a session that has ended in the meantime', async () => {
    const { browser } = await start();
    const callback = await browser.visit(await browser.start('confirmBySingleSignOn'));
    await browser.expectOk('staffSignOut');
    expect(await browser.return(callback)).toStrictEqual({ result: 'SSO_SESSION_ENDED', isNewWindow: true });
    expect((await browser.call('staffSession')).status).toBe(401);
  });

  it('cannot confirm with the response to a sign-in, nor sign in with the response to a confirmation', async () => {
    const { browser, addColleague } = await start();
    await browser.start('confirmBySingleSignOn');
    const callback = await browser.visit(await browser.start());
    expect((await browser.return(callback))?.result).toBe('signed_in');
    expect(await addColleague()).toStrictEqual(envelope('CONFIRMATION_REQUIRED'));
  });
});

it('a member who signed in with a password can confirm at the provider too, unlike a stranger', async () => {
  const { provider, server } = await start();
  const { email } = await newStaff(server, 'owner');
  const browser = new SingleSignOnBrowser(server);
  expect((await browser.call('confirmBySingleSignOn')).body).toStrictEqual(envelope('INVALID_TOKEN'));
  await browser.expectOk('staffSignIn', { body: { email, password: goodPassword } });
  server.clock.advance(minute * 6);
  provider.letIn(person(email));
  // By the clock of the server, the provider is now six minutes behind.
  expect(await browser.confirm()).toBe('SSO_NOT_CONFIRMED');
  server.clock.advance(-6 * minute);
  expect(await browser.confirm()).toBe('confirmed');
});
