/** Calls every endpoint of the admin page, in an order in which staff could. */
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { type AdminEndpointName, adminEndpoints } from '../../shared/api/admin-endpoints.ts';
import type { Endpoint } from '../../shared/api/endpoints.ts';
import { Authenticator } from '../harness/authenticator.ts';
import type { Settings } from '../harness/environment.ts';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { writeReleaseFile } from '../harness/releases.ts';
import { addStaffByLink, StaffBrowser, signInStaff } from '../harness/staff.ts';
import type { EndpointCall } from '../harness/test-client.ts';
import type { Json, TestServer } from '../harness/test-server.ts';
import { goodPassword, newDeviceId, newEmail } from '../harness/users.ts';
import { billingSecret, sendEvent, subscriptionEvent } from '../server/billing/billing-events.ts';

const publicUrl = 'https://licenses.example.com';

/** With these settings, `LATCHKEY_SMTP_URL` and those of an identity provider, a server has every endpoint. */
export const adminEndpointSettings: Settings = {
  LATCHKEY_PUBLIC_URL: publicUrl,
  LATCHKEY_WEBHOOK_ALLOW_PRIVATE: '1',
  LATCHKEY_BILLING_SECRET: billingSecret,
};

type Call = (name: AdminEndpointName, options?: EndpointCall, browser?: StaffBrowser) => Promise<Json>;

/** Wraps each call. */
type Around = <T>(name: AdminEndpointName, call: () => Promise<T>) => Promise<T>;

/** Calls every endpoint, and expects exactly the fields in the table. */
export async function callEveryAdminEndpoint(on: TestServer, around: Around = (_, call) => call()): Promise<void> {
  const email = await addStaffByLink(on, 'owner');
  const owner = await around('staffSignIn', () => signInStaff(on, email));
  const called = new Set<AdminEndpointName>(['staffSignIn']);
  const call: Call = async (name, options, browser = owner) => {
    const body = await around(name, () => browser.expectOk(name, options));
    expect(body, name).toStrictEqual((adminEndpoints[name] as Endpoint).response.parse(body));
    called.add(name);
    return body;
  };
  await callSessions(on, call, email);
  await callPasskeys(on, call);
  await callStaff(on, call);
  const account = await callAccounts(on, call);
  await callLicenses(call, account);
  await callBilling(on, call);
  await callUpdates(on, call);
  await callServer(call);
  await call('deleteAccount', { at: account.id });
  await call('staffSignOut');
  expect([...called].sort()).toStrictEqual(Object.keys(adminEndpoints).sort());
}

async function callSessions(on: TestServer, call: Call, email: string): Promise<void> {
  await call('staffSession');
  await call('staffConfirm', { body: { password: goodPassword } });
  await call('staffSignInOptions');
  await call('startSingleSignOn', { body: {} }, new StaffBrowser(on));
  await call('confirmBySingleSignOn');
  await call('forgotStaffPassword', { body: { email } });
  await call('changeStaffPassword', { body: { current_password: goodPassword, new_password: goodPassword } });
  await signInStaff(on, email);
  const { sessions } = await call('staffSessions');
  const other = (sessions as { id: string; current: boolean }[]).find(({ current }) => !current);
  await call('endStaffSession', { at: other?.id });
}

async function callPasskeys(on: TestServer, call: Call): Promise<void> {
  const authenticator = new Authenticator({ origin: publicUrl });
  const optionsOf = async (name: AdminEndpointName, browser?: StaffBrowser) =>
    (await call(name, {}, browser)).options as Json;
  const credential = authenticator.register(await optionsOf('addPasskeyOptions'));
  await call('addPasskey', { body: { name: 'Laptop', credential } });
  await call('passkeys');
  const confirmation = authenticator.authenticate(await optionsOf('staffConfirmPasskeyOptions'));
  await call('staffConfirmPasskey', { body: { credential: confirmation } });
  const browser = new StaffBrowser(on);
  const signIn = authenticator.authenticate(await optionsOf('staffPasskeyOptions', browser));
  await call('staffPasskeySignIn', { body: { credential: signIn } }, browser);
  const { staff } = await call('staffSession');
  await call('memberPasskeys', { at: (staff as Json).id as string });
  await call('removePasskey', { at: authenticator.id });
}

async function callStaff(on: TestServer, call: Call): Promise<void> {
  const { staff } = await call('addStaff', { body: { email: newEmail(), role: 'viewer' } });
  const { id } = staff as { id: string };
  const { url } = await call('createStaffLink', { at: id });
  const [, token] = /token=([\w-]+)/.exec(String(url)) ?? [];
  const browser = new StaffBrowser(on);
  await call('welcome', { body: { token } }, browser);
  await call('redeemWelcome', { body: { token, password: goodPassword } }, browser);
  await call('setStaffRole', { at: id, body: { role: 'support' } });
  await call('staff');
  await call('removeStaff', { at: id });
}

type Account = { readonly id: string; readonly email: string };

async function callAccounts(on: TestServer, call: Call): Promise<Account> {
  const email = newEmail();
  const { id } = await call('createAccount', { body: { email } });
  const at = String(id);
  const { link } = await call('inviteAccount', { body: { email: newEmail(), full_name: 'Ada', plan: 'standard' } });
  await call('sendInvitation', { body: { link } });
  await call('setPlan', { at: 'studio', body: { max_devices: 5, features: { api_access: true } } });
  await call('plans');
  await call('setFeature', { at: 'pdf_reports', body: { title: { en: 'PDF reports' }, hidden: true } });
  await call('featureRecords');
  await call('removeFeature', { at: 'pdf_reports', body: { from_plans: true } });
  await call('setAccountPassword', { at, body: { password: goodPassword } });
  await call('setAccountSubscription', { at, body: { plan: 'studio' } });
  const { body } = await on.call('login', { body: { email, password: goodPassword } });
  await on.call('apiKey', { token: String(body.access_token), body: {} });
  await call('endAccountSessions', { at });
  await call('account', { at });
  await call('accounts', { query: { search: email, limit: '10' } });
  const { api_keys } = await call('apiKeys', { query: { search: email } });
  await call('revokeApiKey', { at: (api_keys as Json[])[0]?.id as string });
  return { id: at, email };
}

async function callLicenses(call: Call, { email }: Account): Promise<void> {
  const receiver = await startEventReceiver();
  const webhook = await call('addWebhook', { body: { url: receiver.url, events: ['license.activated'] } });
  await call('webhooks');
  const { license_key, license } = await call('issueLicense', { body: { email } });
  const at = String((license as Json).id);
  await call('sendLicense', { at, body: { license_key } });
  await call('setLicenseExpiry', { at, body: { expires_at: '2126-01-01T00:00:00Z' } });
  await call('setLicenseUpdatesUntil', { at, body: { updates_until: '2126-01-01T00:00:00Z' } });
  await call('setLicenseMaxActivations', { at, body: { max_activations: 2 } });
  const device_id = newDeviceId();
  await call('signLease', { body: { request: { license_key, device_id } } });
  await call('devices', { query: { search: device_id } });
  await call('license', { at });
  await call('licenses', { query: { search: email } });
  await call('releaseLicenseDevice', { at: [at, device_id] });
  await call('replaceLicenseKeyOf', { at, body: { send: false } });
  await call('suspendLicense', { at });
  await call('reinstateLicense', { at });
  await call('revokeLicense', { at });
  const endpoint = String(webhook.id);
  const { deliveries } = await call('webhookDeliveries', { at: endpoint });
  await call('replayDelivery', { at: (deliveries as Json[])[0]?.id as string });
  await call('removeWebhook', { at: endpoint });
}

async function callBilling(on: TestServer, call: Call): Promise<void> {
  const email = newEmail();
  const response = await sendEvent(on, subscriptionEvent(on.now(), { email, plan: 'unknown-yet' }));
  expect(response.status, response.text).toBe(200);
  const { billing_events } = await call('billingEvents', { query: { search: email } });
  const at = (billing_events as Json[])[0]?.id as string;
  await call('retryBillingEvent', { at });
  await call('dismissBillingEvent', { at });
}

async function callUpdates(on: TestServer, call: Call): Promise<void> {
  const file = writeReleaseFile(on.dataFolder, '1.0.0', 'App-1.0.0.exe', 'an update');
  await on.admin('installer', 'publish', '1.0.0', '--feed', '--windows-x64', file);
  await call('updateFeed');
  await call('rolloutUpdate', { at: ['1.0.0'], body: { percent: 20 } });
  await call('withdrawUpdate', { at: ['1.0.0'] });
}

async function callServer(call: Call): Promise<void> {
  const hashes = { linux_amd64: `sha256:${'0a'.repeat(32)}` };
  await call('publishInstallers', { body: { version: '1.0.0', hashes } });
  const file = 'an installer';
  const hash = createHash('sha256').update(file).digest('hex');
  const headers = { 'content-type': 'application/octet-stream', 'x-sha256': hash };
  await call('compareInstaller', { body: file, headers });
  await call('uploadInstaller', { at: ['1.0.0', 'windows_x64'], body: file, headers });
  await call('compareInstaller', { body: file, headers });
  await call('installers');
  await call('clearInstallers');
  await call('overview');
  await call('audit', { query: { action: 'license' } });
  await call('serverInfo');
}
