/** Every endpoint of the admin page: who may call it, from where, and what is recorded when it is refused. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type AdminEndpointName, adminEndpoints } from '../../../shared/api/admin-endpoints.ts';
import type { Endpoint } from '../../../shared/api/endpoints.ts';
import { includesRole, staffRoles } from '../../../shared/api/staff-role.ts';
import { minute } from '../../harness/fake-clock.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { fromPage, newStaff, type Staff, StaffBrowser } from '../../harness/staff.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { signUp } from '../../harness/users.ts';

const server = sharedApp();
const entries = Object.entries(adminEndpoints) as [AdminEndpointName, Endpoint][];
const forStaff = entries.filter(([, { auth }]) => auth === 'staff');
const changing = entries.filter(([, { method }]) => method !== 'GET');

/** A different member for each role, because some of the endpoints end the session of the caller. */
const byRole = new Map<string, Staff>();

beforeAll(async () => {
  for (const role of staffRoles) byRole.set(role, await newStaff(server, role));
  // Ensures that no call removes the last owner.
  await newStaff(server, 'owner');
});

/**
 * Calls the endpoint with an incomplete request that matches no record: if admitted, it succeeds or fails for another
 * reason.
 */
const callAs = (browser: StaffBrowser, name: AdminEndpointName, headers: Record<string, string> = {}) =>
  browser.call(name, { at: ['none', 'none'], headers, ...(adminEndpoints[name].method === 'GET' ? {} : { body: {} }) });

/** Signs in again, so that every test has its own session. */
async function copyOf(role: string): Promise<StaffBrowser> {
  const browser = new StaffBrowser(server);
  expect((await browser.signIn(byRole.get(role)?.email ?? '')).status).toBe(200);
  return browser;
}

describe('an endpoint for staff', () => {
  it.each(forStaff)('%s answers INVALID_TOKEN without a session', async (name) => {
    const { status, body } = await callAs(new StaffBrowser(server), name);
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it.each(forStaff)('%s answers INVALID_TOKEN after the session has ended', async (name) => {
    const browser = await copyOf('owner');
    const { cookie } = browser;
    await browser.expectOk('staffSignOut');
    browser.cookie = cookie;
    const { status, body } = await callAs(browser, name);
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('answers INVALID_TOKEN with the token of a user, as a token or as the cookie', async () => {
    const { token } = await signUp(server);
    const headers = { authorization: `Bearer ${token}`, cookie: `latchkey_staff=${token}` };
    for (const [name] of forStaff) {
      expect((await callAs(new StaffBrowser(server), name, headers)).status, name).toBe(401);
    }
  });

  describe.each(staffRoles)('called by a member with the role %s', (role) => {
    const allowed = forStaff.filter(([, endpoint]) => includesRole(role, endpoint.role ?? 'owner'));
    const denied = forStaff.filter(([, endpoint]) => !includesRole(role, endpoint.role ?? 'owner'));

    it.each(allowed)('%s does not answer FORBIDDEN', async (name) => {
      const { status, body } = await callAs(await copyOf(role), name);
      // Passkeys need a host name, which the requests of these tests do not have.
      if (!/passkey/i.test(name)) expect(body.code).not.toBe('FORBIDDEN');
      expect(status).not.toBe(401);
      expect(status).toBeLessThan(500);
    });

    it.each(denied)('%s answers FORBIDDEN, whatever the body', async (name) => {
      const { status, body } = await callAs(await copyOf(role), name);
      expect(status).toBe(403);
      expect(body).toStrictEqual(envelope('FORBIDDEN'));
    });

    it('each refusal is recorded once', async () => {
      const expected = denied.map(([name]) => name).toSorted();
      await expect.poll(() => refusedEndpoints(byRole.get(role)?.email ?? '')).toStrictEqual(expected);
    });
  });

  it('exists for each role', () => {
    expect(new Set(forStaff.map(([, { role }]) => role))).toStrictEqual(new Set(staffRoles));
  });
});

async function refusedEndpoints(email: string): Promise<string[]> {
  const { rows } = await server.services.auditList.readPage({ action: 'staff.refused', actor: email }, { limit: 200 });
  return rows.map(({ details }) => String(details.endpoint)).toSorted();
}

describe('an endpoint that requires a confirmation', () => {
  const confirmed = forStaff.filter(([, { confirm }]) => confirm);

  it.each(confirmed)(
    '%s answers CONFIRMATION_REQUIRED five minutes after the password was last entered',
    async (name) => {
      const browser = await copyOf('owner');
      const code = async () => (await callAs(browser, name)).body.code;
      server.clock.advance(5 * minute - 1);
      expect(await code()).not.toBe('CONFIRMATION_REQUIRED');
      const again = await copyOf('owner');
      server.clock.advance(5 * minute);
      expect((await callAs(again, name)).body).toStrictEqual(envelope('CONFIRMATION_REQUIRED'));
      await again.expectOk('staffConfirm', { body: { password: 'quiet harbour lantern 47' } });
      expect((await callAs(again, name)).body.code).not.toBe('CONFIRMATION_REQUIRED');
    },
  );

  it('is every endpoint whose effect cannot be undone', () => {
    expect(confirmed.map(([name]) => name).sort()).toStrictEqual([
      'addPasskey',
      'addPasskeyOptions',
      'addStaff',
      'addWebhook',
      'clearInstallers',
      'createStaffLink',
      'deleteAccount',
      'dismissBillingEvent',
      'inviteAccount',
      'publishInstallers',
      'removePasskey',
      'removeStaff',
      'removeWebhook',
      'replaceLicenseKeyOf',
      'revokeApiKey',
      'revokeLicense',
      'rolloutUpdate',
      'setAccountPassword',
      'setStaffRole',
      'uploadInstaller',
      'withdrawUpdate',
    ]);
  });
});

describe('a request that changes something', () => {
  const host = 'licenses.example.com';
  const refused: [string, Record<string, string>][] = [
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of another site that names our origin', { 'sec-fetch-site': 'cross-site', origin: `http://${host}` }],
    ['of another host of the same site', { 'sec-fetch-site': 'same-site' }],
    ['that a person typed', { 'sec-fetch-site': 'none' }],
    ['of an older browser on another site', { 'sec-fetch-site': '', origin: 'https://evil.example' }],
    ['of an older browser on another port', { 'sec-fetch-site': '', origin: `http://${host}:81` }],
    ['of a page without an origin', { 'sec-fetch-site': '', origin: 'null' }],
    ['that says nothing', { 'sec-fetch-site': '' }],
  ];
  /** Builds the headers; an empty value stands for a header that is not sent. */
  const sent = (headers: Record<string, string>) => {
    const all: Record<string, string> = { ...fromPage, ...headers };
    const { 'sec-fetch-site': fetchSite = '', ...others } = all;
    return { host, ...others, ...(fetchSite === '' ? {} : { 'sec-fetch-site': fetchSite }) };
  };

  describe.each(refused)('%s', (_, headers) => {
    it.each(changing)('gets FORBIDDEN at %s, even with a session', async (name) => {
      const { cookie } = byRole.get('owner')?.browser ?? { cookie: '' };
      const { method } = adminEndpoints[name];
      const options = { at: ['none', 'none'], headers: { ...sent(headers), cookie } };
      const { status, body } = await server.call(name, { ...options, ...(method === 'DELETE' ? {} : { body: {} }) });
      expect(status).toBe(403);
      expect(body).toStrictEqual(envelope('FORBIDDEN'));
    });
  });

  it.each([
    ['of the page', {}],
    ['of the page in an older browser', { 'sec-fetch-site': '', origin: `http://${host}` }],
  ])('%s is accepted', async (_, headers) => {
    const browser = await copyOf('owner');
    const options = { headers: { ...sent(headers), cookie: browser.cookie } };
    expect((await server.call('staffSignOut', options)).status).toBe(200);
  });
});
