/** Sessions of staff: their cookie, how they begin and end, and what else ends them. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { byStaff } from '../../../server/staff/signed-in-staff.ts';
import { hour, minute, second } from '../../harness/fake-clock.ts';
import { envelope, timestamp, uuid } from '../../harness/response-shapes.ts';
import { auditActions, fromPage, newStaff, type Staff, StaffBrowser, signInStaff } from '../../harness/staff.ts';
import { sharedApp, startTestApp } from '../../harness/start-app.ts';
import { goodPassword, newEmail, signUp } from '../../harness/users.ts';

const server = sharedApp();
const isSignedIn = async (browser: StaffBrowser) => (await browser.call('staffSession')).status === 200;
const credentials = (email: string) => ({ email, password: goodPassword });

describe('signing in', () => {
  it('returns the member and the session', async () => {
    const { email, id, browser } = await newStaff(server, 'support');
    expect(await browser.expectOk('staffSession')).toStrictEqual({
      staff: { id, email, full_name: '', role: 'support' },
      passkeys: 0,
      can_use_passkeys: true,
      has_password: true,
      confirmed_until: new Date(server.now() + 5 * minute).toISOString(),
      expires_at: new Date(server.now() + 12 * hour).toISOString(),
    });
  });

  it('gets the same INVALID_CREDENTIALS for a wrong password, an account that is not staff and an unknown account', async () => {
    const { email } = await newStaff(server, 'owner');
    const user = await signUp(server);
    const browser = new StaffBrowser(server);
    for (const [address, password] of [
      [email, 'not the password'],
      [user.email, goodPassword],
      [newEmail(), goodPassword],
      ['no address', ''],
    ] as const) {
      const response = await browser.signIn(address, password);
      expect(response.status).toBe(401);
      expect(response.body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
      expect(response.headers.get('set-cookie')).toBeNull();
    }
  });

  it('gets INVALID_CREDENTIALS for a member without a password, whatever is sent', async () => {
    const email = newEmail();
    await server.services.staffAdmin.add(email, 'viewer', byCommand);
    for (const password of ['', goodPassword]) {
      expect((await new StaffBrowser(server).signIn(email, password)).status).toBe(401);
      expect((await server.call('login', { body: { email, password } })).status).toBe(401);
    }
  });

  it('is recorded, as is each refusal, but not what was typed for an unknown account', async () => {
    const own = await startTestApp();
    const { email } = await newStaff(own, 'owner');
    const typed = 'my-secret-password@example.com';
    await new StaffBrowser(own).signIn(email, 'not the password');
    await new StaffBrowser(own).signIn(typed);
    const list = async (action: string) =>
      (await own.services.auditList.readPage({ action }, { limit: 10 })).rows.map(({ actor, target, details }) => ({
        actor,
        target,
        details,
      }));
    await expect.poll(() => list('staff.sign_in_refused').then((rows) => rows.length)).toBe(2);
    expect(await list('staff.sign_in')).toStrictEqual([
      { actor: email, target: `account ${email}`, details: { method: 'password' } },
    ]);
    expect(await list('staff.sign_in_refused')).toStrictEqual(
      expect.arrayContaining([
        { actor: 'anonymous', target: `account ${email}`, details: { reason: 'wrong password' } },
        { actor: 'anonymous', target: 'account', details: { reason: 'unknown account' } },
      ]),
    );
    expect(own.logText()).not.toContain(typed);
  });

  it('is refused and recorded if the password is changed, or the member removed, while it is checked', async () => {
    const own = await startTestApp();
    const write = vi.spyOn(own.database, 'write');
    onTestFinished(() => write.mockRestore());
    const { passwords, staffAdmin } = own.services;
    const changes = {
      'wrong password': ({ email }: Staff) => passwords.set(email, 'another quiet lantern 12', byCommand),
      'not staff': ({ id }: Staff) => staffAdmin.remove(id, byCommand),
    };
    for (const [reason, change] of Object.entries(changes)) {
      const member = await newStaff(own, 'viewer');
      const { email } = member;
      write.mockImplementationOnce(async (work) => {
        await change(member);
        return own.database.write(work);
      });
      const { status, body } = await new StaffBrowser(own).signIn(email);
      expect([status, body]).toEqual([401, envelope('INVALID_CREDENTIALS')]);
      await expect
        .poll(() => auditActions(own, 'staff.sign_in_refused'))
        .toContainEqual(expect.objectContaining({ target: `account ${email}`, details: { reason } }));
    }
  });
});

describe('a confirmation', () => {
  it('with a wrong password is recorded under the name of the member whose session it is', async () => {
    const own = await startTestApp();
    const { email, browser } = await newStaff(own, 'viewer');
    const { status, body } = await browser.call('staffConfirm', { body: { password: 'not the password' } });
    expect([status, body]).toEqual([401, envelope('INVALID_CREDENTIALS')]);
    const refused = { actor: email, target: `account ${email}`, details: { reason: 'wrong password' } };
    await expect.poll(() => auditActions(own, 'staff.sign_in_refused')).toEqual([expect.objectContaining(refused)]);
  });
});

describe('the cookie', () => {
  const attributesOf = (header: string | null) => (header ?? '').split('; ').slice(1).toSorted();

  it('is not accessible to scripts or other sites', async () => {
    const { email } = await newStaff(server, 'owner');
    const { headers } = await server.call('staffSignIn', { body: credentials(email), headers: fromPage });
    const cookie = headers.get('set-cookie');
    expect(cookie).toMatch(/^latchkey_staff=[\w-]{43}; /);
    expect(attributesOf(cookie)).toStrictEqual(['HttpOnly', 'Max-Age=43200', 'Path=/', 'SameSite=Strict']);
  });

  it('is bound to the host and to TLS behind a proxy that uses TLS', async () => {
    const own = await startTestApp({ LATCHKEY_TRUST_PROXY: '1' });
    const { email } = await newStaff(own, 'owner');
    const headers = { ...fromPage, 'x-forwarded-proto': 'https' };
    const response = await own.call('staffSignIn', { body: credentials(email), headers });
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^__Host-latchkey_staff=[\w-]{43}; /);
    expect(attributesOf(cookie)).toStrictEqual(['HttpOnly', 'Max-Age=43200', 'Path=/', 'SameSite=Strict', 'Secure']);
    const value = cookie.split(';')[0] ?? '';
    expect((await own.call('staffSession', { headers: { ...headers, cookie: value } })).status).toBe(200);
    // A cookie that an attacker could set over plain HTTP is not accepted over TLS.
    const plain = value.replace('__Host-', '');
    expect((await own.call('staffSession', { headers: { ...headers, cookie: plain } })).status).toBe(401);
  });

  it('is bound to the host and to TLS if the public URL is https, even if the proxy does not say so', async () => {
    const own = await startTestApp({ LATCHKEY_PUBLIC_URL: 'https://licenses.example.com' });
    const { email } = await newStaff(own, 'owner');
    const cookieFor = async (host: string) => {
      const headers = { ...fromPage, host };
      const response = await own.call('staffSignIn', { body: credentials(email), headers });
      const cookie = response.headers.get('set-cookie') ?? '';
      const value = cookie.split(';')[0] ?? '';
      expect((await own.call('staffSession', { headers: { ...headers, cookie: value } })).status).toBe(200);
      return cookie;
    };
    for (const host of ['licenses.example.com', 'LICENSES.example.com:443']) {
      expect(await cookieFor(host)).toMatch(/^__Host-latchkey_staff=.*; Secure/);
    }
    // The server is reached without the proxy, for example through a tunnel.
    expect(await cookieFor('localhost:8470')).not.toMatch(/Secure/);
  });

  it('changes at sign-in, whatever the browser had before', async () => {
    const { email } = await newStaff(server, 'owner');
    const browser = new StaffBrowser(server);
    browser.cookie = `latchkey_staff=${'A'.repeat(43)}`;
    await browser.signIn(email);
    expect(browser.cookie).not.toContain('AAAA');
    const first = browser.cookie;
    await browser.signIn(email);
    expect(browser.cookie).not.toBe(first);
    expect(await isSignedIn(browser)).toBe(true);
    browser.cookie = first;
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('changes when the member confirms', async () => {
    const { browser } = await newStaff(server, 'owner');
    const before = browser.cookie;
    await browser.expectOk('staffConfirm', { body: { password: goodPassword } });
    expect(browser.cookie).not.toBe(before);
    expect(await isSignedIn(browser)).toBe(true);
    browser.cookie = before;
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('is removed at sign-out, and the session ends', async () => {
    const { browser } = await newStaff(server, 'viewer');
    const { cookie } = browser;
    await browser.expectOk('staffSignOut');
    expect(browser.cookie).toBe('');
    browser.cookie = cookie;
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('is also removed if the session ends at the moment of the sign-out', async () => {
    const { id, browser } = await newStaff(server, 'viewer');
    vi.spyOn(server.database, 'write').mockImplementationOnce(async (work) => {
      vi.restoreAllMocks();
      await server.services.accounts.endAllSessions(id, byCommand);
      return server.database.write(work);
    });
    expect(await browser.call('staffSignOut')).toMatchObject({ status: 200, body: { success: true } });
    expect(browser.cookie).toBe('');
  });

  it('is found among other cookies', async () => {
    const { browser } = await newStaff(server, 'viewer');
    browser.cookie = `theme=dark; ${browser.cookie}; __Host-latchkey_staff=x`;
    expect(await isSignedIn(browser)).toBe(true);
  });
});

describe('a session', () => {
  it('ends after half an hour without a request', async () => {
    const { browser } = await newStaff(server, 'owner');
    for (let use = 0; use < 3; use++) {
      server.clock.advance(29 * minute);
      expect(await isSignedIn(browser)).toBe(true);
    }
    server.clock.advance(30 * minute);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('ends 12 hours after sign-in, even while it is used', async () => {
    const { browser } = await newStaff(server, 'owner');
    for (let use = 0; use < 35; use++) {
      server.clock.advance(20 * minute);
      expect(await isSignedIn(browser)).toBe(true);
    }
    server.clock.advance(20 * minute - second);
    expect(await isSignedIn(browser)).toBe(true);
    await browser.expectOk('staffConfirm', { body: { password: goodPassword } });
    server.clock.advance(second);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('is listed for its member only, and can be ended there', async () => {
    const { email, browser } = await newStaff(server, 'viewer');
    const other = await signInStaff(server, email);
    const stranger = await newStaff(server, 'owner');
    const { sessions } = (await browser.expectOk('staffSessions')) as { sessions: { id: string; current: boolean }[] };
    expect(sessions).toHaveLength(2);
    for (const session of sessions) {
      expect(session).toStrictEqual({
        id: uuid,
        created_at: timestamp,
        last_used_at: timestamp,
        expires_at: timestamp,
        address: '127.0.0.1',
        user_agent: expect.any(String),
        current: expect.any(Boolean),
      });
    }
    expect(sessions.filter(({ current }) => current)).toHaveLength(1);
    const id = sessions.find(({ current }) => !current)?.id ?? '';
    expect((await stranger.browser.call('endStaffSession', { at: id })).status).toBe(404);
    expect(await isSignedIn(other)).toBe(true);
    await browser.expectOk('endStaffSession', { at: id });
    expect(await isSignedIn(other)).toBe(false);
    expect((await browser.call('endStaffSession', { at: id })).status).toBe(404);
    expect((await browser.call('endStaffSession', { at: 'no id' })).status).toBe(404);
  });

  it('is not confirmed with the password of an account that has just taken the email address of its member', async () => {
    const { id, browser } = await newStaff(server, 'viewer');
    const email = newEmail();
    const password = 'another quiet lantern 12';
    await server.services.accounts.create({ email, password, full_name: '' }, byCommand);
    const { sessions } = (await browser.expectOk('staffSessions')) as { sessions: { id: string }[] };
    const staff = { id, email, role: 'viewer', sessionId: sessions[0]?.id ?? '', isConfirmed: false } as const;
    const confirming = server.services.staffSignIn.confirm(staff, password, byStaff(staff, '127.0.0.1'));
    await expect(confirming).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  });

  it('is one of the 20 most recently used by its member', async () => {
    const { email, browser } = await newStaff(server, 'viewer');
    let last = browser;
    for (let more = 0; more < 20; more++) {
      server.clock.advance(second);
      last = await signInStaff(server, email);
    }
    expect(await isSignedIn(browser)).toBe(false);
    expect((await last.expectOk('staffSessions')).sessions).toHaveLength(20);
  });

  it.each([
    ['a new password', (email: string) => server.services.passwords.set(email, `${goodPassword} 2`, byCommand)],
    [
      'its removal from staff',
      async (email: string) =>
        server.services.staffAdmin.remove((await server.services.staffAdmin.getByEmail(email)).id, byCommand),
    ],
    ['the deletion of the account', (email: string) => server.services.accounts.remove(email, byCommand)],
  ])('ends with %s', async (_, end) => {
    await newStaff(server, 'owner');
    const { email, browser } = await newStaff(server, 'owner');
    await end(email);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('has the current role of its member', async () => {
    const { email, browser } = await newStaff(server, 'owner');
    await newStaff(server, 'owner');
    await server.services.staffAdmin.add(email, 'viewer', byCommand);
    expect((await browser.call('setPlan', { at: 'standard', body: {} })).status).toBe(403);
    await server.services.staffAdmin.add(email, 'owner', byCommand);
    expect((await browser.call('setPlan', { at: 'standard', body: {} })).status).toBe(200);
  });
});

describe('the database', () => {
  it('does not contain the cookie', async () => {
    const { browser } = await newStaff(server, 'owner');
    const rows = await server.database.read.selectFrom('staff_sessions').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(browser.cookie.split('=')[1]);
  });
});
