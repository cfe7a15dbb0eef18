/**
 * Staff sign in through a real identity provider: who is admitted in which role, how often, and what happens while the
 * provider is down.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { minute } from '../../harness/fake-clock.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { SingleSignOnBrowser } from '../../harness/single-sign-on.ts';
import { auditActions, fromPage, newStaff, signInStaff } from '../../harness/staff.ts';
import { startApp, startTestApp } from '../../harness/start-app.ts';
import { goodPassword, newEmail, signUp } from '../../harness/users.ts';
import { startOidcProvider, startWithProvider } from './server-with-provider.ts';

async function start(options = {}) {
  const provider = await startOidcProvider(options);
  const server = await startWithProvider(provider.settings);
  return { provider, server, browser: new SingleSignOnBrowser(server) };
}

const inGroups = (groups: readonly string[], email = newEmail()) => ({ email, email_verified: true, groups });
const sessionOf = (browser: SingleSignOnBrowser) => browser.expectOk('staffSession');
const statusOf = async (browser: SingleSignOnBrowser) => (await browser.call('staffSession')).status;

describe('signing in through the provider', () => {
  it.each([true, false])('admits members of a group, with a new account without a password', async (hasThickTokens) => {
    const { provider, server, browser } = await start({ hasThickTokens });
    provider.letIn(inGroups(['staff', 'admins'], 'Grace@lab.example'));
    expect(await browser.signIn()).toBe('signed_in');
    expect(await sessionOf(browser)).toMatchObject({
      staff: { email: 'Grace@lab.example', role: 'owner' },
      has_password: false,
    });
    expect(await server.services.staffAdmin.list()).toMatchObject([{ role: 'owner', sessions: 1 }]);
    // Only the session is left of the sign-in.
    expect([...browser.cookies.keys()]).toStrictEqual(['latchkey_staff']);
  });

  it('assigns the highest role of the groups at each sign-in', async () => {
    const { provider, server, browser } = await start();
    await newStaff(server, 'owner');
    const { email } = provider.letIn(inGroups(['readers', 'helpdesk']));
    const roleNow = async () => ((await sessionOf(browser)).staff as { role: string }).role;
    await browser.signIn();
    expect(await roleNow()).toBe('support');
    for (const [groups, role] of [
      [['helpdesk', 'admins', 'readers'], 'owner'],
      [['readers'], 'viewer'],
    ] as const) {
      provider.letIn(inGroups(groups, email));
      expect(await browser.signIn()).toBe('signed_in');
      expect(await roleNow()).toBe(role);
    }
    provider.letIn(inGroups(['staff'], email));
    expect(await browser.signIn()).toBe('SSO_NO_ROLE');
    // A refusal changes nothing.
    expect(await roleNow()).toBe('viewer');
  });

  it('is recorded in the audit log with the role that the provider gave, as is a refused sign-in', async () => {
    const { provider, server, browser } = await start();
    const { email } = provider.letIn(inGroups(['helpdesk']));
    await browser.signIn();
    provider.letIn(inGroups([], 'eve@lab.example'));
    expect(await new SingleSignOnBrowser(server).signIn()).toBe('SSO_NO_ROLE');
    await expect
      .poll(() => auditActions(server, 'staff.sign_in_refused'))
      .toMatchObject([
        { actor: 'anonymous', target: 'account eve@lab.example', details: { method: 'single sign-on' } },
      ]);
    expect(await auditActions(server, 'staff.sign_in')).toMatchObject([
      { actor: email, target: `account ${email}`, details: { method: 'single sign-on' } },
    ]);
    for (const action of ['staff.add', 'account.create']) {
      expect(await auditActions(server, action)).toMatchObject([{ actor: 'single sign-on' }]);
    }
  });

  it('writes no role and sends no mail if the role is unchanged', async () => {
    const { provider, server, browser } = await start();
    provider.letIn(inGroups(['helpdesk']));
    await browser.signIn();
    await browser.signIn();
    expect(await auditActions(server, 'staff.add')).toHaveLength(1);
    expect(await auditActions(server, 'staff.sign_in')).toHaveLength(2);
  });

  it('does not reduce the role of the only owner', async () => {
    const { provider, server, browser } = await start();
    const { email, id } = await newStaff(server, 'owner');
    provider.letIn(inGroups(['readers'], email));
    expect(await browser.signIn()).toBe('SSO_CONFLICT');
    expect(await server.services.staffAdmin.get(id)).toMatchObject({ role: 'owner' });
  });

  it('ends the existing session of the browser', async () => {
    const { provider, server, browser } = await start();
    const { email } = provider.letIn(inGroups(['admins']));
    await browser.signIn();
    await browser.signIn();
    expect(await server.services.staffAdmin.getByEmail(email)).toMatchObject({ sessions: 1 });
  });
});

describe('an existing account', () => {
  it('loses the password, sessions and API key of the person who signed up with the address if it was unconfirmed', async () => {
    const { provider, server, browser } = await start();
    const attacker = await signUp(server);
    provider.letIn(inGroups(['admins'], attacker.email.toUpperCase()));
    expect(await browser.signIn()).toBe('signed_in');
    expect(await sessionOf(browser)).toMatchObject({ staff: { id: attacker.id }, has_password: false });
    const login = await server.call('login', { body: { email: attacker.email, password: attacker.password } });
    expect(login.body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
    const refreshed = await server.call('refresh', { body: { refresh_token: attacker.refreshToken } });
    expect(refreshed.body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect(await auditActions(server, 'staff.add')).toMatchObject([{ details: { credentials_removed: true } }]);
  });

  it('keeps the password of a member, or of an account that an admin created', async () => {
    const { provider, server, browser } = await start();
    const { email } = await newStaff(server, 'owner');
    const created = newEmail();
    await server.services.accounts.create({ email: created, password: goodPassword, full_name: '' }, byCommand);
    for (const each of [email, created]) {
      provider.letIn(inGroups(['admins'], each));
      expect(await browser.signIn()).toBe('signed_in');
      await signInStaff(server, each);
    }
  });
});

describe('a sign-in attempt', () => {
  it('can be used once, even if two responses arrive at the same time', async () => {
    const { provider, server, browser } = await start();
    const { email } = provider.letIn(inGroups(['admins']));
    const callback = await browser.visit(await browser.start());
    const kept = new Map(browser.cookies);
    const outcomes = await Promise.all([browser.return(callback), browser.return(callback)]);
    expect(outcomes.map((outcome) => outcome?.result).sort()).toStrictEqual(['SSO_EXPIRED', 'signed_in']);
    for (const [name, value] of kept) browser.cookies.set(name, value);
    expect((await browser.return(callback))?.result).toBe('SSO_EXPIRED');
    expect(await server.services.staffAdmin.getByEmail(email)).toMatchObject({ sessions: 1 });
  });

  it('cannot be completed with the used code of another one', async () => {
    const { provider, browser } = await start();
    provider.letIn(inGroups(['admins']));
    const used = await browser.visit(await browser.start());
    await browser.return(used);
    const callback = await browser.visit(await browser.start());
    callback.searchParams.set('code', used.searchParams.get('code') ?? '');
    expect((await browser.return(callback))?.result).toBe('SSO_EXPIRED');
  });

  it('is bound to the browser that started it', async () => {
    const { provider, server, browser } = await start();
    provider.letIn(inGroups(['admins']));
    const callback = await browser.visit(await browser.start());
    const victim = new SingleSignOnBrowser(server);
    expect((await victim.return(callback))?.result).toBe('SSO_EXPIRED');
    // Even if that browser is in the middle of its own attempt, which stays valid.
    const own = await victim.start();
    expect((await victim.return(callback))?.result).toBe('SSO_EXPIRED');
    expect(await statusOf(victim)).toBe(401);
    expect((await victim.return(await victim.visit(own)))?.result).toBe('signed_in');
    expect((await browser.return(callback))?.result).toBe('signed_in');
  });

  it('expires after ten minutes', async () => {
    const { provider, server, browser } = await start();
    provider.letIn(inGroups(['admins']));
    const callback = await browser.visit(await browser.start());
    server.clock.advance(10 * minute);
    expect((await browser.return(callback))?.result).toBe('SSO_EXPIRED');
    server.clock.advance(-1);
    expect((await browser.return(callback))?.result).toBe('signed_in');
  });

  it('cannot be made up, and an invalid cookie is ignored', async () => {
    const { browser } = await start();
    for (const value of ['x', 'a'.repeat(4000), '%00']) {
      browser.cookies.set('latchkey_sign_in', value);
      const outcome = await browser.return(new URL('http://localhost/admin/oidc/callback?code=x&state=y'));
      expect(outcome?.result).toBe('SSO_EXPIRED');
    }
    browser.cookies.clear();
    expect(await browser.return(new URL('http://localhost/admin/oidc/callback'))).toMatchObject({
      result: 'SSO_EXPIRED',
    });
  });

  it('can be completed by another process than the one that started it', async () => {
    const { provider, server, browser } = await start();
    provider.letIn(inGroups(['admins']));
    const callback = await browser.visit(await browser.start());
    const other = await startApp(provider.settings, { clock: server.clock, dataFolder: server.dataFolder });
    onTestFinished(other.stop);
    const elsewhere = new SingleSignOnBrowser(other);
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value);
    expect((await elsewhere.return(callback))?.result).toBe('signed_in');
    // Each process knows which attempts the other has used.
    expect((await browser.return(callback))?.result).toBe('SSO_EXPIRED');
  });

  it('is in a cookie that scripts cannot read and cross-site links send; over TLS no other host can set it', async () => {
    const provider = await startOidcProvider({ callbackUrl: 'https://licenses.example.com/admin/oidc/callback' });
    const server = await startTestApp({ ...provider.settings, LATCHKEY_PUBLIC_URL: 'https://licenses.example.com' });
    const headers = { ...fromPage, host: 'licenses.example.com' };
    const { headers: received } = await server.call('startSingleSignOn', { headers });
    const [name, ...attributes] = (received.get('set-cookie') ?? '').split('; ');
    expect(name).toMatch(/^__Host-latchkey_sign_in=/);
    expect(attributes.sort()).toStrictEqual(['HttpOnly', 'Max-Age=600', 'Path=/', 'SameSite=Lax', 'Secure']);
  });

  it('can only start on the page to which the provider returns', async () => {
    const provider = await startOidcProvider();
    const server = await startTestApp({ ...provider.settings, LATCHKEY_PUBLIC_URL: 'https://licenses.example.com' });
    const startAt = (origin: string) => server.call('startSingleSignOn', { headers: { ...fromPage, origin } });
    const refused = await startAt('https://other.example.com');
    expect(refused.body).toStrictEqual(envelope('CONFLICT'));
    expect(refused.body.error).toContain('https://licenses.example.com');
    expect((await startAt('https://licenses.example.com')).status).toBe(200);
  });

  it('can only be started by the page itself, not by another site', async () => {
    const { server } = await start();
    const fromElsewhere = { headers: { 'sec-fetch-site': 'cross-site' } };
    for (const options of [fromElsewhere, {}]) {
      expect((await server.call('startSingleSignOn', options)).body).toStrictEqual(envelope('FORBIDDEN'));
    }
  });
});

describe('while the provider is down', () => {
  it('other ways to sign in still work, the reason is reported, and no restart is needed', async () => {
    const { provider, server, browser } = await start();
    const { email } = await newStaff(server, 'owner');
    const person = provider.letIn(inGroups(['admins']));
    await provider.stop();
    const refused = await browser.call('startSingleSignOn');
    expect([refused.status, refused.body]).toStrictEqual([503, envelope('SERVICE_UNAVAILABLE')]);
    expect(refused.body.error).toContain('identity provider');
    expect(server.logText()).toContain('ECONNREFUSED');
    await signInStaff(server, email);
    await provider.start();
    expect(await browser.signIn()).toBe('signed_in');
    expect(await sessionOf(browser)).toMatchObject({ staff: { email: person.email } });
  });

  it('a person who returns from it is told so', async () => {
    const { provider, browser } = await start();
    provider.letIn(inGroups(['admins']));
    const callback = await browser.visit(await browser.start());
    await provider.stop();
    expect((await browser.return(callback))?.result).toBe('SSO_UNAVAILABLE');
  });
});

describe('a server without a provider', () => {
  it('does not offer single sign-on, and answers NOT_FOUND on its paths', async () => {
    const server = await startTestApp();
    const { browser } = await newStaff(server, 'owner');
    expect(await browser.expectOk('staffSignInOptions')).toMatchObject({ single_sign_on: false });
    for (const name of ['startSingleSignOn', 'confirmBySingleSignOn'] as const) {
      expect((await browser.call(name)).body).toStrictEqual(envelope('NOT_FOUND'));
    }
    expect((await server.request('GET', '/admin/oidc/callback?code=x')).body).toStrictEqual(envelope('NOT_FOUND'));
  });
});
