/**
 * Changes by staff to accounts, licenses, API keys, plans and installers, each recorded with the name of the member.
 */
import { createHash } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { AccountService } from '../../../server/accounts/account.service.ts';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { day } from '../../harness/fake-clock.ts';
import { envelope, licenseKey, timestamp, uuid } from '../../harness/response-shapes.ts';
import { newStaff, type Staff, StaffBrowser } from '../../harness/staff.ts';
import { sharedApp, startTestApp } from '../../harness/start-app.ts';
import { activate, goodPassword, issueLicense, newEmail, signUp, subscriber } from '../../harness/users.ts';

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

/** Returns the last entry about a record. */
async function lastEntry(target: string) {
  const { rows } = await server.services.auditList.readPage({ target }, { limit: 1 });
  return rows[0];
}

// Entries of one writer within a millisecond are in order; the app and the commands are two writers.
beforeEach(() => server.clock.advance(1));

describe('an account', () => {
  it('is shown with everything that belongs to it', async () => {
    const user = await subscriber(server);
    const { key } = await issueLicense(server, '--email', user.email);
    await activate(server, user, key);
    await server.call('apiKey', { token: user.token, body: {} });
    expect(await viewer.browser.expectOk('account', { at: user.id })).toMatchObject({
      id: user.id,
      email: user.email,
      has_password: true,
      role: null,
      subscription: { plan: 'standard', status: 'active', gives_access: true },
      licenses: [{ status: 'active', activations: 1 }],
      license_totals: { licenses: 1, devices: 1, devices_with_subscription: 0 },
      api_key: { is_legacy: false, revoked_at: null },
      sessions: [
        {
          id: uuid,
          created_at: timestamp,
          last_used_at: timestamp,
          expires_at: timestamp,
          user_agent: expect.any(String),
        },
      ],
    });
    expect(await viewer.browser.expectOk('account', { at: support.id })).toMatchObject({ role: 'support' });
  });

  it('is shown with its newest licenses, and the list of licenses contains all of them', async () => {
    const user = await subscriber(server);
    const issued: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      server.clock.advance(1);
      const { key, id } = await issueLicense(
        server,
        '--email',
        user.email,
        ...(count < 2 ? ['--with-subscription'] : []),
      );
      issued.unshift(id);
      if (count < 3) await activate(server, user, key);
    }
    await issueLicense(server, '--email', (await signUp(server)).email);
    const account = await viewer.browser.expectOk('account', { at: user.id });
    expect((account.licenses as { id: string }[]).map(({ id }) => id)).toEqual(issued.slice(0, 10));
    expect(account.license_totals).toStrictEqual({ licenses: 12, devices: 3, devices_with_subscription: 2 });
    const list = async (query: Record<string, string>) => {
      const { licenses, total } = await viewer.browser.expectOk('licenses', { query });
      return { ids: (licenses as { id: string }[]).map(({ id }) => id), total };
    };
    const total = { count: 12, is_exact: true };
    expect(await list({ account: user.email.toUpperCase() })).toStrictEqual({ ids: issued, total });
    expect((await list({ account: user.email.slice(0, -1) })).ids).toEqual([]);
    await support.browser.expectOk('suspendLicense', { at: issued[3] ?? '' });
    expect((await list({ account: user.email, status: 'inactive' })).ids).toEqual([issued[3]]);
    expect((await list({ account: user.email, search: user.email })).ids).toHaveLength(12);
  });

  it('is created with or without a password, only once', async () => {
    const [withOne, without] = [newEmail(), newEmail()];
    const created = await owner.browser.expectOk('createAccount', { body: { email: withOne, password: goodPassword } });
    expect(created).toMatchObject({ email: withOne, has_password: true, subscription: null, licenses: [] });
    expect((await server.call('login', { body: { email: withOne, password: goodPassword } })).status).toBe(200);
    const other = await owner.browser.expectOk('createAccount', { body: { email: without, full_name: 'Ada' } });
    expect(other).toMatchObject({ full_name: 'Ada', has_password: false });
    const again = await owner.browser.call('createAccount', { body: { email: without } });
    expect(again.body).toStrictEqual(envelope('EMAIL_EXISTS'));
    expect(await lastEntry(String(other.id))).toMatchObject({ action: 'account.create', actor: owner.email });
  });

  it('is deleted with everything that belongs to it', async () => {
    const user = await signUp(server);
    await owner.browser.expectOk('deleteAccount', { at: user.id });
    expect((await owner.browser.call('account', { at: user.id })).status).toBe(404);
    expect((await server.call('subscriptionStatus', { token: user.token })).status).toBe(401);
    expect(await lastEntry(user.id)).toMatchObject({ action: 'account.delete', actor: owner.email });
  });

  it('is the one that is deleted, even if another account gets its email at the same moment', async () => {
    const [user, other] = [await signUp(server), await signUp(server)];
    const { get } = AccountService.prototype;
    const getting = vi.spyOn(AccountService.prototype, 'get');
    onTestFinished(() => getting.mockRestore());
    getting.mockImplementationOnce(async function (this: AccountService, id, executor = server.database.read) {
      const found = await get.call(this, id, executor);
      await server.database.write(async (transaction) => {
        const by = { actor: { kind: 'anonymous' } } as const;
        await this.changeEmail(transaction, { id: user.id, email: newEmail() }, by);
        await this.changeEmail(transaction, { id: other.id, email: user.email }, by);
      });
      return found;
    });
    await owner.browser.expectOk('deleteAccount', { at: user.id });
    expect(await server.services.accounts.findById(user.id)).toBeUndefined();
    expect(await server.services.accounts.findById(other.id)).toMatchObject({ email: user.email });
  });

  it('can be given a new password, which ends its sessions', async () => {
    const user = await signUp(server);
    await support.browser.expectOk('setAccountPassword', { at: user.id, body: { password: `${goodPassword} 2` } });
    expect((await server.call('subscriptionStatus', { token: user.token })).status).toBe(401);
    const login = { email: user.email, password: `${goodPassword} 2` };
    expect((await server.call('login', { body: login })).status).toBe(200);
    const weak = await support.browser.call('setAccountPassword', { at: user.id, body: { password: 'short' } });
    expect(weak.body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });

  it.each(['setAccountPassword', 'endAccountSessions'] as const)(
    'of a member of staff cannot be changed by support, and the attempt is recorded: %s',
    async (name) => {
      const target = await newStaff(server, 'viewer');
      const body = { password: `${goodPassword} 2` };
      const options = { at: target.id, ...(name === 'setAccountPassword' ? { body } : {}) };
      const { body: refused } = await support.browser.call(name, options);
      expect(refused).toStrictEqual(envelope('FORBIDDEN'));
      expect((await target.browser.call('staffSession')).status).toBe(200);
      await expect
        .poll(() => lastEntry(support.id))
        .toMatchObject({ action: 'staff.refused', details: { endpoint: name, role: 'support' } });
      await owner.browser.expectOk(name, options);
      expect((await target.browser.call('staffSession')).status).toBe(401);
    },
  );

  it('can have its sessions ended', async () => {
    const user = await signUp(server);
    await support.browser.expectOk('endAccountSessions', { at: user.id });
    expect((await server.call('subscriptionStatus', { token: user.token })).status).toBe(401);
    expect((await viewer.browser.expectOk('account', { at: user.id })).sessions).toStrictEqual([]);
    expect(await lastEntry(user.id)).toMatchObject({ action: 'session.end', actor: support.email });
  });

  it('can be given a subscription', async () => {
    const user = await signUp(server);
    const current_period_end = new Date(server.now() + 3 * day).toISOString();
    const body = { plan: 'advanced', status: 'trialing', current_period_end, cancel_at_period_end: true };
    const subscription = await support.browser.expectOk('setAccountSubscription', { at: user.id, body });
    expect(subscription).toMatchObject({ ...body, gives_access: true, id: uuid });
    const status = await server.call('subscriptionStatus', { token: user.token });
    expect(status.body).toMatchObject({ subscription: { plan: 'advanced', status: 'trialing' } });
    for (const wrong of [{ plan: 'none' }, { plan: 'standard', status: 'odd' }, { plan: 'standard\0' }, {}]) {
      const { status: code } = await support.browser.call('setAccountSubscription', { at: user.id, body: wrong });
      expect([400, 404]).toContain(code);
    }
  });

  it('keeps a subscription that has changed since it was read', async () => {
    const user = await signUp(server);
    const set = (body: object) => support.browser.call('setAccountSubscription', { at: user.id, body });
    const current = async () => {
      const account = await viewer.browser.expectOk('account', { at: user.id });
      return account.subscription as { plan: string; updated_at: string } | null;
    };
    expect((await set({ plan: 'free', expected_updated_at: new Date(server.now()).toISOString() })).status).toBe(409);
    expect(await current()).toBeNull();
    await set({ plan: 'standard', expected_updated_at: null });
    const read = await current();
    server.clock.advance(1000);
    await set({ plan: 'advanced', expected_updated_at: read?.updated_at });
    expect((await current())?.plan).toBe('advanced');
    for (const expected_updated_at of [read?.updated_at, null]) {
      expect(await set({ plan: 'free', expected_updated_at })).toMatchObject({
        status: 409,
        body: { code: 'CONFLICT' },
      });
    }
    expect((await current())?.plan).toBe('advanced');
  });

  it.each(['account', 'deleteAccount', 'setAccountPassword', 'setAccountSubscription', 'endAccountSessions'] as const)(
    'that does not exist gets NOT_FOUND: %s',
    async (name) => {
      for (const at of ['none', '00000000-0000-7000-8000-000000000000', '\0']) {
        const body = { password: goodPassword, plan: 'standard' };
        const response = await owner.browser.call(name, { at, ...(/^set/.test(name) ? { body } : {}) });
        expect([at === '\0' ? 400 : 404]).toContain(response.status);
      }
    },
  );
});

describe('the only owner', () => {
  it('can be neither removed, demoted nor deleted', async () => {
    const own = await startTestApp();
    const { id, email, browser } = await newStaff(own, 'owner');
    for (const [name, options] of [
      ['removeStaff', { at: id }],
      ['setStaffRole', { at: id, body: { role: 'support' } }],
      ['addStaff', { body: { email, role: 'viewer' } }],
      ['deleteAccount', { at: id }],
    ] as const) {
      expect((await browser.call(name, options)).body).toStrictEqual(envelope('CONFLICT'));
    }
    await expect(own.services.accounts.remove(email, byCommand)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(own.admin('staff', 'remove', email)).rejects.toMatchObject({ code: 'CONFLICT' });
    const other = await newStaff(own, 'owner');
    await browser.expectOk('removeStaff', { at: id });
    expect((await other.browser.expectOk('staff')).staff).toHaveLength(1);
  });

  it('is kept when two owners remove each other at once', async () => {
    const own = await startTestApp();
    const [one, other] = [await newStaff(own, 'owner'), await newStaff(own, 'owner')];
    const responses = await Promise.all([
      one.browser.call('removeStaff', { at: other.id }),
      other.browser.call('removeStaff', { at: one.id }),
    ]);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await own.services.staffAdmin.list()).toHaveLength(1);
  });
});

describe('staff', () => {
  it('are added with a link for choosing a password, and listed', async () => {
    const email = newEmail();
    const { staff, link } = await owner.browser.expectOk('addStaff', { body: { email, role: 'support' } });
    const member = {
      id: uuid,
      email,
      full_name: '',
      role: 'support',
      created_at: timestamp,
      last_used_at: null,
      sessions: 0,
      passkeys: 0,
      has_password: false,
    };
    expect(staff).toStrictEqual(member);
    const { url } = link as { url: string };
    expect(url).toMatch(/^http:\/\/localhost(:\d+)?\/admin#\/welcome\?token=[\w-]{43}$/);
    const browser = new StaffBrowser(server);
    await browser.expectOk('redeemWelcome', { body: { token: url.split('=')[1], password: goodPassword } });
    const { staff: all } = (await viewer.browser.expectOk('staff')) as { staff: object[] };
    expect(all).toContainEqual({ ...member, has_password: true, sessions: 1, last_used_at: timestamp });
  });

  it('can be given another role and a new link', async () => {
    const member = await newStaff(server, 'viewer');
    const changed = await owner.browser.expectOk('setStaffRole', { at: member.id, body: { role: 'owner' } });
    expect(changed).toMatchObject({ role: 'owner' });
    expect(await owner.browser.expectOk('createStaffLink', { at: member.id })).toStrictEqual({
      url: expect.any(String),
      expires_at: timestamp,
    });
    await owner.browser.expectOk('setStaffRole', { at: member.id, body: { role: 'viewer' } });
    expect((await owner.browser.call('setStaffRole', { at: 'none', body: { role: 'viewer' } })).status).toBe(404);
    expect((await owner.browser.call('createStaffLink', { at: 'none' })).status).toBe(404);
    expect((await owner.browser.call('removeStaff', { at: 'none' })).status).toBe(404);
    const { body } = await owner.browser.call('setStaffRole', { at: member.id, body: { role: 'king' } });
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });
});

describe('a license', () => {
  it('is issued with a key that appears in no other response', async () => {
    const user = await signUp(server);
    const expires_at = new Date(server.now() + day).toISOString();
    const issued = await support.browser.expectOk('issueLicense', {
      body: { email: user.email, plan: 'advanced', max_activations: 2, expires_at },
    });
    expect(issued).toStrictEqual({
      license_key: licenseKey,
      license: expect.objectContaining({ plan: 'advanced', max_activations: 2, expires_at, email: user.email }),
    });
    const { license_key, license } = issued as { license_key: string; license: { id: string } };
    expect((await activate(server, user, license_key)).response.status).toBe(200);
    const shown = await viewer.browser.call('license', { at: license.id });
    expect(shown.text).not.toContain(license_key);
    expect(shown.body).toMatchObject({ activations: 1, devices: [{ platform: 'linux' }] });
    const { rows } = await server.services.auditList.readPage({ target: license.id }, { limit: 50 });
    expect(rows.map(({ action }) => action)).toEqual(['license.activate', 'license.issue']);
    expect(JSON.stringify(rows)).not.toContain(license_key);
  });

  it.each([
    [{ email: 'nobody@example.com' }, 'USER_NOT_FOUND'],
    [{ plan: 'none' }, 'NOT_FOUND'],
    [{ with_subscription: true }, 'VALIDATION_ERROR'],
    [{ max_activations: -1 }, 'VALIDATION_ERROR'],
    [{ max_activations: 1_000_001 }, 'VALIDATION_ERROR'],
    [{ expires_at: 'tomorrow' }, 'VALIDATION_ERROR'],
    [{ expires_at: '0001-01-01T00:00:00Z' }, 'VALIDATION_ERROR'],
  ])('is not issued for %o', async (body, code) => {
    expect((await support.browser.call('issueLicense', { body })).body).toStrictEqual(envelope(code));
  });

  const issue = async () => {
    const user = await signUp(server);
    const { key, id } = await issueLicense(server, '--email', user.email);
    server.clock.advance(1);
    const { deviceId } = await activate(server, user, key);
    const isValid = async () => {
      const body = { license_key: key, device_id: deviceId };
      return (await server.call('validateLicense', { token: user.token, body })).body.code ?? 'valid';
    };
    return { id, deviceId, isValid };
  };

  it('can be suspended, reinstated and revoked, with immediate effect on its devices', async () => {
    const { id, isValid } = await issue();
    for (const [staff, name, status, code, action] of [
      [support, 'suspendLicense', 'inactive', 'LICENSE_INACTIVE', 'license.suspend'],
      [support, 'reinstateLicense', 'active', 'valid', 'license.reinstate'],
      [owner, 'revokeLicense', 'revoked', 'LICENSE_REVOKED', 'license.revoke'],
    ] as const) {
      expect(await staff.browser.expectOk(name, { at: id })).toMatchObject({ id, status });
      expect(await isValid()).toBe(code);
      expect(await lastEntry(id)).toMatchObject({ action, actor: staff.email });
    }
  });

  it('can only be issued by an owner if it has more devices than its plan, and a refusal is recorded', async () => {
    const email = (await signUp(server)).email;
    const body = { email, plan: 'standard', max_activations: 4 };
    const refused = await support.browser.call('issueLicense', { body });
    expect(refused.body).toStrictEqual(envelope('FORBIDDEN'));
    await expect
      .poll(() => lastEntry(support.id))
      .toMatchObject({ action: 'staff.refused', details: { endpoint: 'issueLicense', role: 'support' } });
    await support.browser.expectOk('issueLicense', { body: { ...body, max_activations: 3 } });
    await owner.browser.expectOk('issueLicense', { body });
  });

  it('that has the status already is not changed: nothing is recorded, and no event is sent', async () => {
    const { id } = await issue();
    const entries = async () => (await server.services.auditList.readPage({ target: id }, { limit: 200 })).rows.length;
    const events = () => server.database.read.selectFrom('event_deliveries').selectAll().execute();
    await owner.browser.expectOk('addWebhook', { body: { url: 'https://example.com/', events: ['license.revoked'] } });
    for (const name of ['suspendLicense', 'reinstateLicense', 'revokeLicense'] as const) {
      const first = await owner.browser.expectOk(name, { at: id });
      const [recorded, sent] = [await entries(), (await events()).length];
      server.clock.advance(1);
      expect(await owner.browser.expectOk(name, { at: id })).toStrictEqual(first);
      const commanded = { suspendLicense: 'inactive', reinstateLicense: 'active', revokeLicense: 'revoked' } as const;
      await server.services.licenseChanges.setStatus(id, { status: commanded[name], as: 'owner' }, byCommand);
      expect([await entries(), (await events()).length]).toEqual([recorded, sent]);
    }
    expect(await events()).toHaveLength(1);
  });

  it('that is revoked can only be reinstated by an owner, and neither suspended nor extended', async () => {
    const { id, isValid } = await issue();
    await owner.browser.expectOk('revokeLicense', { at: id });
    expect((await support.browser.call('reinstateLicense', { at: id })).body).toStrictEqual(envelope('FORBIDDEN'));
    expect((await support.browser.call('suspendLicense', { at: id })).body).toStrictEqual(envelope('CONFLICT'));
    const extend = await support.browser.call('setLicenseExpiry', { at: id, body: { expires_at: null } });
    expect(extend.body).toStrictEqual(envelope('CONFLICT'));
    expect(await isValid()).toBe('LICENSE_REVOKED');
    await owner.browser.expectOk('reinstateLicense', { at: id });
    expect(await isValid()).toBe('valid');
  });

  it('that is revoked gets another status by command as by an owner on the page, with the same entries', async () => {
    const actionsAfter = async (
      setStatus: (id: string, status: 'revoked' | 'inactive' | 'active') => Promise<unknown>,
    ) => {
      const { id, isValid } = await issue();
      for (const [status, code] of [
        ['revoked', 'LICENSE_REVOKED'],
        ['inactive', 'LICENSE_INACTIVE'],
        ['revoked', 'LICENSE_REVOKED'],
        ['active', 'valid'],
      ] as const) {
        server.clock.advance(1);
        await setStatus(id, status);
        expect(await isValid()).toBe(code);
      }
      const { rows } = await server.services.auditList.readPage({ target: id }, { limit: 4 });
      return rows.map(({ action, details }) => ({ action, details }));
    };
    const names = { revoked: 'revokeLicense', inactive: 'suspendLicense', active: 'reinstateLicense' } as const;
    const onPage = await actionsAfter((id, status) => owner.browser.expectOk(names[status], { at: id }));
    const byCommands = await actionsAfter((id, status) => server.admin('license', 'set', id, '--status', status));
    expect(byCommands).toStrictEqual(onPage);
    expect(onPage).toHaveLength(4);
  });

  it('that has expired can be extended, even if it was set to expired', async () => {
    const { id, isValid } = await issue();
    const past = new Date(server.now() - day).toISOString();
    await support.browser.expectOk('setLicenseExpiry', { at: id, body: { expires_at: past } });
    expect(await isValid()).toBe('LICENSE_EXPIRED');
    const future = new Date(server.now() + day).toISOString();
    await support.browser.expectOk('setLicenseExpiry', { at: id, body: { expires_at: future } });
    expect(await isValid()).toBe('valid');
    await server.services.licenseChanges.setStatus(id, { status: 'expired', as: 'owner' }, byCommand);
    server.clock.advance(1);
    const never = await support.browser.expectOk('setLicenseExpiry', { at: id, body: { expires_at: null } });
    expect(never).toMatchObject({ status: 'active', expires_at: null });
    expect(await isValid()).toBe('valid');
    expect(await lastEntry(id)).toMatchObject({ action: 'license.change', details: { expires_at: null } });
  });

  it('includes new versions until a date, even if it is revoked', async () => {
    const { id, isValid } = await issue();
    await owner.browser.expectOk('revokeLicense', { at: id });
    const until = '2027-01-31T12:00:00.000Z';
    const set = await support.browser.expectOk('setLicenseUpdatesUntil', { at: id, body: { updates_until: until } });
    expect(set).toMatchObject({ status: 'revoked', updates_until: until });
    expect(await lastEntry(id)).toMatchObject({ action: 'license.change', details: { updates_until: until } });
    server.clock.advance(1);
    const all = await support.browser.expectOk('setLicenseUpdatesUntil', { at: id, body: { updates_until: null } });
    expect(all).toMatchObject({ updates_until: null });
    expect(await lastEntry(id)).toMatchObject({ details: { updates_until: null } });
    expect(await isValid()).toBe('LICENSE_REVOKED');
    for (const body of [{}, { updates_until: '2027-01-31' }, { updates_until: 5 }]) {
      const refused = await support.browser.call('setLicenseUpdatesUntil', { at: id, body });
      expect(refused.body).toStrictEqual(envelope('VALIDATION_ERROR'));
    }
  });

  it('can get another device limit, and keeps its devices', async () => {
    const { id, isValid } = await issue();
    const changed = await owner.browser.expectOk('setLicenseMaxActivations', { at: id, body: { max_activations: 0 } });
    expect(changed).toMatchObject({ max_activations: 0, activations: 1 });
    expect(await isValid()).toBe('valid');
    expect(await lastEntry(id)).toMatchObject({ details: { max_activations: 0, before: 3 } });
  });

  it('can have a device released', async () => {
    const { id, deviceId } = await issue();
    const released = await support.browser.expectOk('releaseLicenseDevice', { at: [id, deviceId.toLowerCase()] });
    expect(released).toMatchObject({ activations: 0, devices: [] });
    const again = await support.browser.call('releaseLicenseDevice', { at: [id, deviceId] });
    expect(again.body).toStrictEqual(envelope('NOT_FOUND'));
  });

  it.each(['license', 'suspendLicense', 'reinstateLicense', 'revokeLicense'] as const)(
    'that does not exist gets NOT_FOUND: %s',
    async (name) => {
      for (const at of ['none', '00000000-0000-7000-8000-000000000000']) {
        expect((await owner.browser.call(name, { at })).body).toStrictEqual(envelope('NOT_FOUND'));
      }
    },
  );
});

describe('an API key', () => {
  it('can be revoked once, with immediate effect', async () => {
    const user = await subscriber(server);
    const { body: generated } = await server.call('apiKey', { token: user.token, body: {} });
    const { api_keys } = (await viewer.browser.expectOk('apiKeys', { query: { search: user.email } })) as {
      api_keys: { id: string }[];
    };
    const id = api_keys[0]?.id ?? '';
    const revoked = await owner.browser.expectOk('revokeApiKey', { at: id });
    expect(revoked).toMatchObject({ id, email: user.email, revoked_at: timestamp });
    const { body } = await server.call('validateApiKey', { body: { api_key: generated.api_key } });
    expect(body).toMatchObject({ valid: false, code: 'INVALID_API_KEY' });
    await server.call('apiKey', { token: user.token, body: {} });
    expect((await owner.browser.call('revokeApiKey', { at: id })).body).toStrictEqual(envelope('CONFLICT'));
    expect((await owner.browser.call('revokeApiKey', { at: 'none' })).body).toStrictEqual(envelope('NOT_FOUND'));
  });
});

describe('a plan', () => {
  it('can be changed and added', async () => {
    const body = { max_devices: 7, features: { csv_export: true } };
    const plan = await owner.browser.expectOk('setPlan', { at: 'team', body });
    expect(plan).toMatchObject({ name: 'team', max_devices: 7, features: { csv_export: true, api_access: false } });
    await owner.browser.expectOk('setPlan', { at: 'team', body: { features: { csv_export: false } } });
    const { plans } = (await viewer.browser.expectOk('plans')) as { plans: { name: string; features: object }[] };
    expect(plans.find(({ name }) => name === 'team')).toMatchObject({
      max_devices: 7,
      features: { csv_export: false },
    });
    expect((await owner.browser.call('setPlan', { at: 'Team 1', body: {} })).body).toStrictEqual(
      envelope('VALIDATION_ERROR'),
    );
  });
});

describe('installers', () => {
  const hash = `sha256:${'ab'.repeat(32)}`;

  it('are published by their hashes, and can be withdrawn', async () => {
    const body = { version: '4.2.0', hashes: { windows_x64: hash } };
    const published = { installers: { version: '4.2.0', hashes: { windows_x64: hash }, updated_at: timestamp } };
    expect(await owner.browser.expectOk('publishInstallers', { body })).toStrictEqual(published);
    expect(await viewer.browser.expectOk('installers')).toStrictEqual(published);
    await owner.browser.expectOk('clearInstallers');
    expect(await viewer.browser.expectOk('installers')).toStrictEqual({ installers: null });
    const wrong = { version: '4.2.0', hashes: { windows_x64: 'sha256:1' } };
    expect((await owner.browser.call('publishInstallers', { body: wrong })).status).toBe(400);
  });

  const file = Buffer.from('an installer');
  const sha256 = createHash('sha256').update(file).digest('hex');
  const upload = (headers: Record<string, string>, at = ['4.3.0', 'linux_amd64']) =>
    owner.browser.call('uploadInstaller', {
      at,
      body: file,
      headers: { 'content-type': 'application/octet-stream', ...headers },
    });

  it.each([sha256, sha256.toUpperCase(), `sha256:${sha256}`])(
    'are published as a file with the matching hash: %s',
    async (sent) => {
      const { status, body } = await upload({ 'x-sha256': sent });
      expect(status).toBe(200);
      expect(body).toMatchObject({ installers: { version: '4.3.0', hashes: { linux_amd64: `sha256:${sha256}` } } });
    },
  );

  it.each([
    ['whose hash is another', { 'x-sha256': 'ab'.repeat(32) }, 'VALIDATION_ERROR'],
    ['without a hash', {}, 'VALIDATION_ERROR'],
    ['that is JSON', { 'content-type': 'application/json', 'x-sha256': sha256 }, 'UNSUPPORTED_MEDIA_TYPE'],
    ['that is a form', { 'content-type': 'multipart/form-data; boundary=x' }, 'UNSUPPORTED_MEDIA_TYPE'],
    ['that is too large', { 'content-length': String(2 * 1024 ** 3 + 1), 'x-sha256': sha256 }, 'PAYLOAD_TOO_LARGE'],
  ])('are not published as a file %s', async (_, headers, code) => {
    await owner.browser.expectOk('clearInstallers');
    expect((await upload(headers)).body).toStrictEqual(envelope(code));
    expect(await viewer.browser.expectOk('installers')).toStrictEqual({ installers: null });
  });

  const compare = (body: Buffer, sent: string) =>
    owner.browser.call('compareInstaller', {
      body,
      headers: { 'content-type': 'application/octet-stream', 'x-sha256': sent },
    });

  it('can be compared as a file, which publishes nothing', async () => {
    await owner.browser.expectOk('clearInstallers');
    expect((await compare(file, sha256)).body).toStrictEqual({ sha256, bytes: file.length });
    expect((await compare(file, 'ab'.repeat(32))).body).toStrictEqual(envelope('VALIDATION_ERROR'));
    expect(await viewer.browser.expectOk('installers')).toStrictEqual({ installers: null });
  });

  it('cannot be an empty file', async () => {
    const hashOfNothing = createHash('sha256').digest('hex');
    expect((await compare(Buffer.alloc(0), hashOfNothing)).status).toBe(400);
  });

  it('cannot be published for an unknown platform', async () => {
    expect((await upload({ 'x-sha256': sha256 }, ['4.3.0', 'amiga'])).status).toBe(400);
  });
});
