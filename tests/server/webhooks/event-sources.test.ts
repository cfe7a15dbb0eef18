/** Each event, from every action that causes it. What an endpoint receives is parsed with the schemas in shared/. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { webhookEventTypes } from '../../../shared/api/admin/webhooks.ts';
import { webhookEvents } from '../../../shared/api/webhook-events.ts';
import { allowPrivate, listenToEvents, type ReadEvents } from '../../harness/endpoint-events.ts';
import { day } from '../../harness/fake-clock.ts';
import { newStaff } from '../../harness/staff.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';
import { goodPassword, isoFromNow, issueLicense, newEmail, signUp } from '../../harness/users.ts';
import { billingSecret, sendEvent, subscriptionEvent } from '../billing/billing-events.ts';
import { newStripePurchase, providerSettings, sendAllToStripe, stripeEvents } from '../billing/provider-events.ts';

let server: TestApp;
beforeEach(async () => {
  server = await startTestApp({
    ...allowPrivate,
    ...providerSettings,
    LATCHKEY_BILLING_SECRET: billingSecret,
    LATCHKEY_BILLING_ISSUE: '1',
  });
});

const importLines = async (kind: string, lines: readonly string[], ...words: string[]) => {
  const path = join(server.dataFolder, 'import.csv');
  writeFileSync(path, `${lines.join('\n')}\n`);
  return server.admin('import', kind, path, ...words);
};

/** Expects events of these types with these fields of their data. */
const expectEvents = async (read: ReadEvents, expected: readonly object[]) =>
  expect(await read()).toMatchObject(expected);

it('each event type has a schema', () => {
  expect(Object.keys(webhookEvents).sort()).toEqual([...webhookEventTypes].sort());
});

describe('account.created', () => {
  it('is sent once for a sign-up, a command, an import, the admin page and a billing event', async () => {
    const read = await listenToEvents(server, 'account.created');
    const { id, email } = await signUp(server);
    expect(await read()).toStrictEqual([
      { type: 'account.created', timestamp: expect.any(String), data: { account_id: id, email } },
    ]);
    const owner = await newStaff(server, 'owner');
    await expectEvents(read, [{ data: { account_id: owner.id, email: owner.email } }]);
    const imported = [newEmail(), newEmail()];
    const lines = ['email,full_name', ...imported.map((address) => `${address},`)];
    await importLines('accounts', lines, '--dry-run');
    await importLines('accounts', lines);
    await importLines('accounts', lines);
    expect((await read()).map(({ data }) => data.email).sort()).toEqual([...imported].sort());
    const bought = newEmail();
    await sendEvent(server, subscriptionEvent(server.now(), { email: bought }));
    await sendEvent(server, subscriptionEvent(server.now() + 1, { email: bought }));
    await expectEvents(read, [{ data: { email: bought } }]);
  });

  it('is not sent if the address is taken', async () => {
    const { email } = await signUp(server);
    const read = await listenToEvents(server, 'account.created');
    await server.call('signup', { body: { email, password: goodPassword } });
    expect(await read()).toEqual([]);
  });
});

it('account.deleted is sent for a command, the owner and the admin page, with the address of the account', async () => {
  const users = [await signUp(server), await signUp(server), await signUp(server)] as const;
  const owner = await newStaff(server, 'owner');
  const read = await listenToEvents(server, 'account.deleted');
  await server.admin('user', 'delete', users[0].email);
  await server.call('deleteOwnAccount', { token: users[1].token, body: { password: goodPassword } });
  await owner.browser.expectOk('deleteAccount', { at: users[2].id });
  const data = (await read()).map((event) => event.data);
  expect(data).toHaveLength(3);
  for (const { id, email } of users) expect(data).toContainEqual({ account_id: id, email });
});

describe('license.issued', () => {
  it('is sent for a command, the admin page, an import and a payment', async () => {
    const user = await signUp(server);
    const owner = await newStaff(server, 'owner');
    const read = await listenToEvents(server, 'license.issued');
    const expires_at = isoFromNow(server, 40 * day);
    const words = ['--email', user.email, '--max-activations', '7', '--expires-at', expires_at];
    const { id, key } = await issueLicense(server, ...words);
    const [event] = await read();
    expect(event?.data).toStrictEqual({
      account_id: user.id,
      email: user.email,
      license_id: id,
      key_preview: expect.any(String),
      plan: 'standard',
      status: 'active',
      max_activations: 7,
      expires_at,
      with_subscription: false,
    });
    expect(JSON.stringify(event)).not.toContain(key);
    const body = { email: user.email, plan: 'advanced' };
    await owner.browser.expectOk('issueLicense', { body });
    await expectEvents(read, [{ data: { account_id: user.id, plan: 'advanced' } }]);
    const lines = ['license_key,email,status', `OLD-KEY-1,${user.email},`, 'OLD-KEY-2,,inactive'];
    await importLines('licenses', lines);
    await importLines('licenses', lines);
    const imported = (await read()).map(({ data }) => data);
    expect(imported).toHaveLength(2);
    expect(imported).toContainEqual(expect.objectContaining({ email: user.email, status: 'active' }));
    expect(imported).toContainEqual(expect.objectContaining({ email: null, status: 'inactive' }));
    const bought = newEmail();
    await sendEvent(server, subscriptionEvent(server.now(), { email: bought }));
    await expectEvents(read, [{ data: { email: bought, with_subscription: true } }]);
  });
});

describe('a change of a license', () => {
  it('sends an event for each new status set by commands', async () => {
    const user = await signUp(server);
    const { id } = await issueLicense(server, '--email', user.email);
    const read = await listenToEvents(server);
    const data = { account_id: user.id, email: user.email, license_id: id, plan: 'standard' };
    for (const [status, type] of [
      ['inactive', 'license.suspended'],
      ['active', 'license.reinstated'],
      ['expired', 'license.expired'],
      ['active', 'license.reinstated'],
      ['revoked', 'license.revoked'],
    ] as const) {
      await server.admin('license', 'set', id, '--status', status);
      await expectEvents(read, [{ type, data }]);
      // Setting the same status again sends none.
      await server.admin('license', 'set', id, '--status', status);
      expect(await read()).toEqual([]);
    }
  });

  it('sends an event from the admin page too', async () => {
    const owner = await newStaff(server, 'owner');
    const { id } = await issueLicense(server);
    const read = await listenToEvents(server);
    for (const [name, type] of [
      ['suspendLicense', 'license.suspended'],
      ['reinstateLicense', 'license.reinstated'],
      ['revokeLicense', 'license.revoked'],
    ] as const) {
      await owner.browser.expectOk(name, { at: id });
      await expectEvents(read, [{ type, data: { account_id: null, email: null, license_id: id } }]);
    }
  });

  it('sends an event when a payment is refunded', async () => {
    const { id, email } = await signUp(server);
    const { accounts } = server.services;
    await server.database.write((transaction) => accounts.confirmEmail(transaction, id));
    const purchase = stripeEvents(newStripePurchase(email));
    const atMs = server.now();
    const paid = [
      purchase.subscription('created', atMs),
      purchase.invoicePaid(atMs),
      purchase.invoicePaymentPaid(atMs),
    ];
    await sendAllToStripe(server, paid);
    const read = await listenToEvents(server, 'license.suspended', 'license.reinstated');
    await sendAllToStripe(server, [purchase.refunded(atMs)]);
    await expectEvents(read, [{ type: 'license.suspended', data: { email } }]);
  });

  it('sends an event when the key is replaced', async () => {
    const { id, license } = await issueLicense(server);
    const read = await listenToEvents(server);
    await server.admin('license', 'replace-key', id);
    await expectEvents(read, [
      { type: 'license.key_replaced', data: { license_id: id, key_preview_before: license.key_preview } },
    ]);
  });

  it('is judged by the effective status: a license past its end stays expired whatever is set', async () => {
    const { id } = await issueLicense(server, '--expires-at', isoFromNow(server, -day));
    const read = await listenToEvents(server);
    await server.services.reminders.run(async () => true);
    await expectEvents(read, [{ type: 'license.expired', data: { license_id: id } }]);
    await server.admin('license', 'set', id, '--status', 'inactive');
    await server.admin('license', 'set', id, '--status', 'active');
    expect(await read()).toEqual([]);
    const as = { status: 'active' } as const;
    await server.services.licenseChanges.setExpiry(id, server.now() + 100 * day, byCommand);
    await expectEvents(read, [{ type: 'license.reinstated', data: { license_id: id } }]);
    expect(await server.services.licenseAdmin.get(id)).toMatchObject(as);
  });
});

describe('plan.changed', () => {
  it('is sent for a command and the admin page, with the current plan', async () => {
    const owner = await newStaff(server, 'owner');
    const read = await listenToEvents(server);
    const plan = await server.admin('plan', 'set', 'standard', '--max-devices', '4', '--feature', 'csv_export=false');
    expect((await read())[0]).toMatchObject({
      type: 'plan.changed',
      data: {
        account_id: null,
        email: null,
        plan_id: plan.id,
        plan: 'standard',
        added: false,
        features: { max_devices: 4, csv_export: false, real_time_visualization: true },
      },
    });
    await owner.browser.expectOk('setPlan', { at: 'team', body: { max_devices: 9, lease_days: 5 } });
    await expectEvents(read, [{ data: { plan: 'team', added: true, lease_days: 5, features: { max_devices: 9 } } }]);
    await expect(server.services.plans.set('standard', { lease_days: 9999 }, byCommand)).rejects.toThrow();
    expect(await read()).toEqual([]);
  });

  it('is sent for each plan from which a removed feature is taken', async () => {
    await server.admin('feature', 'set', 'batch_mode');
    for (const plan of ['standard', 'advanced'])
      await server.admin('plan', 'set', plan, '--feature', 'batch_mode=true');
    const read = await listenToEvents(server);
    await server.admin('feature', 'remove', 'batch_mode', '--from-plans');
    const plans = (await read()).map(({ data }) => data);
    expect(plans).toMatchObject([{ plan: 'advanced' }, { plan: 'standard' }]);
    for (const { features } of plans as { features: object }[]) expect(features).not.toHaveProperty('batch_mode');
  });
});

it('installer.published is sent for a command and the admin page, with all hashes of the version', async () => {
  const owner = await newStaff(server, 'owner');
  const read = await listenToEvents(server);
  const [linux, windows] = [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`];
  await server.admin('installer', 'publish', '2.0.0', '--linux-amd64', linux);
  await expectEvents(read, [
    { type: 'installer.published', data: { version: '2.0.0', hashes: { linux_amd64: linux } } },
  ]);
  const body = { version: '2.0.0', hashes: { windows_x64: windows } };
  await owner.browser.expectOk('publishInstallers', { body });
  await expectEvents(read, [{ data: { hashes: { linux_amd64: linux, windows_x64: windows } } }]);
});
