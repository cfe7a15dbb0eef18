/** Every screen of the admin page in each of its states: for the gallery, and for what must hold in all of them. */
import type { Page } from '@playwright/test';
import type { Answers } from './fake-api.ts';
import { installerScenes } from './installer-scenes.ts';
import { sampleAccount, sampleAccounts, sampleDevices, sampleLicense, sampleLicenses } from './sample-records.ts';
import { sampleApiKeys, sampleAudit, sampleOverview, sampleServer } from './sample-server.ts';
import { sampleSession } from './sample-staff.ts';
import { sampleAddedWebhook, sampleDeliveries, sampleKeptEvents, sampleWebhooks } from './sample-webhooks.ts';
import type { AdminScene } from './scene.ts';

const account = sampleAccount();
const license = sampleLicense(3);
const signedOut: Answers = { staffSession: { error: 'INVALID_TOKEN' } };
const withProvider: Answers = {
  staffSignInOptions: { can_reset_password: true, password_min_length: 8, single_sign_on: true },
};
/** Accounts with unconfirmed addresses, on a server that sends mail. */
const unconfirmed: Answers = {
  serverInfo: { ...sampleServer(), can_send_mail: true },
  account: { ...account, email_confirmed_at: null, email_confirmation_missing: true },
  accounts: {
    ...sampleAccounts(12),
    accounts: sampleAccounts(12).accounts.map((row, index) =>
      index % 5 === 0 ? { ...row, email_confirmed_at: null, email_confirmation_missing: true } : row,
    ),
  },
};
const longName = `${'wissenschaftliche-mitarbeiterin-'.repeat(3)}ada@neurophysiologie.universitaetsklinikum.example`;
const openAccount = `#/accounts?open=${account.id}`;
const openLicense = `#/licenses?open=${license.id}`;
const [endpoint, disabledEndpoint] = sampleWebhooks().webhooks;
const openEndpoint = `#/webhooks?open=${endpoint?.id}`;
const openBillingEvent = `#/webhooks/billing-events?open=${sampleKeptEvents(1).billing_events[0]?.id}`;
const oneLicense: Answers = { licenses: sampleLicenses(1) };
const severalInstallationsAt = new Date(Date.now() - 3_600_000).toISOString();
const mark = <T extends object>(devices: readonly T[]) =>
  devices.map((device, index) =>
    index === 0 ? { ...device, several_installations_at: severalInstallationsAt } : device,
  );
const sharedDevice: Answers = {
  devices: { ...sampleDevices(12), devices: mark(sampleDevices(12).devices) },
  license: { ...sampleLicense(3), devices: mark(sampleLicense(3).devices) },
};
const signedLease = {
  lease: 'header.claims.signature',
  expires_at: '2027-03-03T00:00:00.000Z',
  renew_after: '2027-02-24T00:00:00.000Z',
};
const leaseRequest = {
  license_key: 'SVC-AB12-CD34-EF56-WXYZ',
  device_id: 'HW-0123ABCD-0123ABCD-0123ABCD-0123ABCD',
  device_name: 'EEG rig, second floor',
  platform: 'linux x64',
};
const chooseRequest = async (page: Page, content = JSON.stringify(leaseRequest)) => {
  const file = { name: 'request.json', mimeType: 'application/json', buffer: Buffer.from(content) };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.locator('.skeleton').waitFor({ state: 'detached' });
};
const signRequest = async (page: Page) => {
  await chooseRequest(page);
  await page.locator('dialog [type=submit]').click();
  await page.locator('dialog [role=alert], dialog:not(:has(form))').waitFor();
};
const revokeLicense = async (page: Page) => {
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByLabel('Type SVC-AB12 to confirm').fill('SVC-AB12');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog', { name: 'Confirm that it’s you' }).waitFor();
};
const addEndpoint = async (page: Page) => {
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  await page.getByLabel('URL', { exact: true }).fill('https://hooks.lab.example/events');
};

export const adminScenes: readonly AdminScene[] = [
  { name: 'sign-in', answers: signedOut },
  {
    name: 'sign-in-refused',
    answers: { ...signedOut, staffSignIn: { error: 'INVALID_CREDENTIALS' } },
    prepare: async (page) => {
      await page.getByLabel('Email').fill('grace@lab.example');
      await page.getByLabel('Password', { exact: true }).fill('wrong');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('alert').waitFor();
    },
  },
  { name: 'sign-in-provider', answers: { ...signedOut, ...withProvider } },
  {
    name: 'sign-in-provider-refused',
    hash: '#/single-sign-on?result=SSO_CONFLICT',
    answers: { ...signedOut, ...withProvider },
  },
  {
    name: 'sign-in-provider-german',
    locale: 'de-DE',
    hash: '#/single-sign-on?result=SSO_EXPIRED',
    answers: { ...signedOut, ...withProvider },
  },
  { name: 'sign-in-provider-window', hash: '#/single-sign-on?result=SSO_UNTRUSTED&window=new' },
  {
    name: 'sign-in-forgot',
    answers: signedOut,
    prepare: (page) => page.getByRole('button', { name: 'Forgot password?' }).click(),
  },
  {
    name: 'sign-in-forgot-sent',
    answers: { ...signedOut, forgotStaffPassword: { success: true } },
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Forgot password?' }).click();
      await page.getByRole('dialog').getByLabel('Email').fill('grace@lab.example');
      await page.keyboard.press('Enter');
      await page.getByRole('status').waitFor();
    },
  },
  {
    name: 'welcome',
    hash: '#/welcome?token=one-time',
    answers: { welcome: { kind: 'first_admin', email: null, expires_at: new Date().toISOString() } },
  },
  {
    name: 'welcome-refused-german',
    hash: '#/welcome?token=one-time',
    locale: 'de-DE',
    answers: {
      welcome: { kind: 'first_admin', email: null, expires_at: new Date().toISOString() },
      redeemWelcome: { error: 'VALIDATION_ERROR' },
    },
    prepare: async (page) => {
      await page.getByLabel('E-Mail-Adresse').fill('grace@lab');
      await page.getByLabel('Passwort', { exact: true }).fill('password123');
      await page.getByRole('button', { name: 'Weiter' }).click();
      await page.getByText('sehr weit verbreitet').waitFor();
    },
  },
  { name: 'welcome-used', hash: '#/welcome?token=one-time', answers: { welcome: { error: 'INVALID_TOKEN' } } },
  {
    name: 'offer-passkey',
    hash: '#/welcome?token=one-time',
    answers: {
      welcome: { kind: 'set_password', email: 'grace@lab.example', expires_at: new Date().toISOString() },
      redeemWelcome: sampleSession(),
    },
    prepare: async (page) => {
      await page.getByLabel('Password', { exact: true }).fill('tangerine ladder 42');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'Add a passkey' }).waitFor();
    },
  },
  { name: 'overview', hash: '#/overview' },
  {
    name: 'overview-first-run',
    hash: '#/overview',
    answers: {
      overview: {
        ...sampleOverview(),
        counted_at: null,
        counts: { accounts: 0, subscriptions: 0, licenses: 0, devices: 0, devices_alive: 0, api_keys: 0 },
        days: sampleOverview().days.map(({ date }) => ({
          date,
          devices_alive: null,
          activations: 0,
          sign_ins: 0,
          refusals: 0,
        })),
        attention: [],
      },
    },
  },
  {
    name: 'overview-at-risk',
    hash: '#/overview',
    answers: {
      overview: {
        ...sampleOverview(),
        attention: [
          { kind: 'secrets_file_lost', params: {} },
          { kind: 'audit_log_cut', params: {} },
          { kind: 'plain_http', params: {} },
          { kind: 'mails_waiting', params: { count: 214 } },
        ],
      },
    },
  },
  { name: 'overview-error', hash: '#/overview', answers: { overview: { error: 'INTERNAL_ERROR' } } },
  { name: 'overview-german', hash: '#/overview', locale: 'de' },
  { name: 'overview-japanese', hash: '#/overview', locale: 'ja' },
  { name: 'api-keys', hash: '#/api-keys' },
  { name: 'api-key', hash: `#/api-keys?open=${sampleApiKeys().api_keys[0]?.id}` },
  { name: 'plans', hash: '#/plans' },
  {
    name: 'plan-changed',
    hash: '#/plans',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Change Standard' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'plan-confirmed',
    hash: '#/plans',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Change Standard' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alertdialog').waitFor();
    },
  },
  ...(['de', 'ja'] as const).map((locale) => ({
    name: `feature-removed-${locale}`,
    hash: '#/features',
    locale,
    prepare: async (page: Page) => {
      await page.getByRole('button', { name: locale === 'de' ? 'Entfernen' : '削除' }).click();
      await page.getByRole('alertdialog').getByRole('listitem').first().waitFor();
    },
  })),
  { name: 'features', hash: '#/features' },
  { name: 'features-german', hash: '#/features', locale: 'de' },
  { name: 'features-error', hash: '#/features', answers: { featureRecords: { error: 'INTERNAL_ERROR' } } },
  {
    name: 'feature-changed',
    hash: '#/features',
    prepare: async (page) => {
      await page.getByRole('listitem', { name: 'PDF reports' }).getByRole('button', { name: 'Change' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'feature-removed',
    hash: '#/features',
    prepare: async (page) => {
      await page.getByRole('listitem', { name: 'PDF reports' }).getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('alertdialog').waitFor();
    },
  },
  ...installerScenes,
  { name: 'audit', hash: '#/audit' },
  { name: 'audit-entry', hash: `#/audit?open=${sampleAudit().events[2]?.id}` },
  { name: 'server', hash: '#/server' },
  { name: 'accounts', hash: '#/accounts' },
  { name: 'accounts-empty', hash: '#/accounts', answers: { accounts: sampleAccounts(0) } },
  { name: 'accounts-none-found', hash: '#/accounts?search=zzz', answers: { accounts: sampleAccounts(0) } },
  {
    name: 'accounts-loading',
    hash: '#/accounts',
    answers: { accounts: 'never' },
    prepare: (page) => page.getByText('Loading…').first().waitFor(),
  },
  { name: 'accounts-error', hash: '#/accounts', answers: { accounts: { error: 'INTERNAL_ERROR' } } },
  { name: 'accounts-offline', hash: '#/accounts', answers: { accounts: 'unreachable', plans: 'unreachable' } },
  { name: 'account', hash: openAccount },
  { name: 'account-loading', hash: openAccount, answers: { account: 'never' } },
  { name: 'account-gone', hash: openAccount, answers: { account: { error: 'NOT_FOUND' } } },
  {
    name: 'account-long-name',
    hash: openAccount,
    answers: {
      accounts: {
        ...sampleAccounts(3),
        accounts: sampleAccounts(3).accounts.map((row) => ({ ...row, email: longName })),
      },
      account: sampleAccount(longName),
    },
  },
  { name: 'account-unconfirmed', hash: openAccount, answers: unconfirmed },
  { name: 'account-german', hash: openAccount, locale: 'de-DE' },
  { name: 'account-japanese', hash: openAccount, locale: 'ja-JP' },
  {
    name: 'create-account',
    hash: '#/accounts?new=1',
  },
  {
    name: 'change-subscription',
    hash: openAccount,
    prepare: (page) => page.getByRole('button', { name: 'Change subscription' }).click(),
  },
  {
    name: 'delete-account',
    hash: openAccount,
    prepare: (page) => page.getByRole('button', { name: 'Delete account' }).click(),
  },
  { name: 'licenses', hash: '#/licenses' },
  { name: 'licenses-empty', hash: '#/licenses', answers: { licenses: sampleLicenses(0) } },
  { name: 'licenses-german', hash: '#/licenses', locale: 'de-DE' },
  { name: 'license', hash: openLicense },
  { name: 'license-viewer', hash: openLicense, answers: { staffSession: sampleSession('viewer') } },
  { name: 'license-100-devices', hash: openLicense, answers: { license: sampleLicense(100) } },
  { name: 'issue-license', hash: '#/licenses?new=1' },
  {
    name: 'issued-license',
    hash: '#/licenses?new=1',
    answers: { issueLicense: { license_key: 'SVC-AB12-CD34-EF56-WXYZ', license } },
    prepare: async (page) => {
      await page.getByRole('dialog').getByRole('button', { name: 'Issue license' }).click();
      await page.getByRole('button', { name: 'I have saved it' }).waitFor();
    },
  },
  {
    name: 'issued-license-unconfirmed',
    hash: '#/licenses?new=1',
    answers: { ...unconfirmed, issueLicense: { license_key: 'SVC-AB12-CD34-EF56-WXYZ', license } },
    prepare: async (page) => {
      await page.getByRole('dialog').getByRole('button', { name: 'Issue license' }).click();
      await page.getByText('somebody else may have signed up').waitFor();
    },
  },
  {
    name: 'issued-license-mailed',
    hash: '#/licenses?new=1',
    answers: {
      serverInfo: { ...sampleServer(), can_send_mail: true },
      issueLicense: { license_key: 'SVC-AB12-CD34-EF56-WXYZ', license },
      sendLicense: { sent_to: 'ada@lab.example' },
    },
    prepare: async (page) => {
      await page.getByRole('dialog').getByRole('button', { name: 'Issue license' }).click();
      await page.getByRole('button', { name: 'Send by email' }).click();
      await page.getByText('Sent to ada@lab.example.').waitFor();
    },
  },
  {
    name: 'issued-license-mail-refused',
    hash: '#/licenses?new=1',
    answers: {
      serverInfo: { ...sampleServer(), can_send_mail: true },
      issueLicense: { license_key: 'SVC-AB12-CD34-EF56-WXYZ', license },
      sendLicense: { error: 'SERVICE_UNAVAILABLE' },
    },
    prepare: async (page) => {
      await page.getByRole('dialog').getByRole('button', { name: 'Issue license' }).click();
      await page.getByRole('button', { name: 'Send by email' }).click();
      await page.getByRole('alert').waitFor();
    },
  },
  {
    name: 'license-updates-until',
    hash: openLicense,
    prepare: (page) => page.getByRole('button', { name: 'Change updates' }).click(),
  },
  {
    name: 'suspend-license',
    hash: openLicense,
    prepare: (page) => page.getByRole('button', { name: 'Suspend' }).click(),
  },
  {
    name: 'revoke-license',
    hash: openLicense,
    prepare: (page) => page.getByRole('button', { name: 'Revoke' }).click(),
  },
  {
    name: 'confirm-again',
    hash: openLicense,
    answers: { revokeLicense: { error: 'CONFIRMATION_REQUIRED' } },
    prepare: revokeLicense,
  },
  {
    name: 'confirm-again-provider',
    hash: openLicense,
    answers: { ...withProvider, revokeLicense: { error: 'CONFIRMATION_REQUIRED' } },
    prepare: async (page) => {
      await revokeLicense(page);
      await page.getByRole('button', { name: 'Use single sign-on' }).waitFor();
    },
  },
  {
    name: 'session-ended',
    hash: openLicense,
    answers: { suspendLicense: { error: 'INVALID_TOKEN' } },
    prepare: async (page) => {
      // The page requests a preview of the change first.
      await page.getByRole('button', { name: 'Suspend' }).click();
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    },
  },
  { name: 'webhooks', hash: '#/webhooks' },
  {
    name: 'webhooks-empty',
    hash: '#/webhooks',
    answers: { webhooks: { webhooks: [], next: null, total: { count: 0, is_exact: true } } },
  },
  {
    name: 'webhooks-loading',
    hash: '#/webhooks',
    answers: { webhooks: 'never' },
    prepare: (page) => page.getByText('Loading…').first().waitFor(),
  },
  {
    name: 'webhooks-error',
    hash: '#/webhooks',
    answers: { webhooks: { error: 'INTERNAL_ERROR' } },
  },
  { name: 'billing-events', hash: '#/webhooks/billing-events' },
  { name: 'billing-events-german', hash: '#/webhooks/billing-events', locale: 'de-DE' },
  { name: 'billing-events-empty', hash: '#/webhooks/billing-events', answers: { billingEvents: sampleKeptEvents(0) } },
  { name: 'billing-event', hash: openBillingEvent },
  { name: 'billing-event-japanese', hash: openBillingEvent, locale: 'ja-JP' },
  {
    name: 'dismiss-billing-event',
    hash: openBillingEvent,
    prepare: (page) => page.getByRole('button', { name: 'Dismiss' }).click(),
  },
  { name: 'webhook', hash: openEndpoint },
  { name: 'webhook-german', hash: openEndpoint, locale: 'de-DE' },
  { name: 'webhook-japanese', hash: openEndpoint, locale: 'ja-JP' },
  { name: 'webhook-viewer', hash: openEndpoint, answers: { staffSession: sampleSession('viewer') } },
  { name: 'webhook-disabled', hash: `#/webhooks?open=${disabledEndpoint?.id}` },
  { name: 'webhook-nothing-sent', hash: openEndpoint, answers: { webhookDeliveries: sampleDeliveries(0) } },
  {
    name: 'webhook-no-delivery-found',
    hash: `${openEndpoint}&state=failed&type=device.suspicious`,
    answers: { webhookDeliveries: sampleDeliveries(0) },
    prepare: (page) => page.getByRole('button', { name: 'Clear search and filters' }).scrollIntoViewIfNeeded(),
  },
  {
    name: 'webhook-delivery-columns',
    hash: openEndpoint,
    prepare: async (page) => {
      await page.getByRole('complementary').getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('checkbox', { name: 'Event ID' }).check();
    },
  },
  {
    name: 'webhook-deliveries-error',
    hash: openEndpoint,
    answers: { webhookDeliveries: { error: 'INTERNAL_ERROR' } },
  },
  {
    name: 'add-webhook',
    hash: '#/webhooks',
    prepare: async (page) => {
      await addEndpoint(page);
      await page.getByRole('checkbox', { name: 'All events' }).uncheck();
      await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click();
      await page.getByText('Choose at least one event.').waitFor();
    },
  },
  {
    name: 'added-webhook',
    hash: '#/webhooks',
    answers: { addWebhook: sampleAddedWebhook() },
    prepare: async (page) => {
      await addEndpoint(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click();
      await page.getByRole('button', { name: 'I have saved it' }).waitFor();
    },
  },
  {
    name: 'remove-webhook',
    hash: openEndpoint,
    prepare: (page) => page.getByRole('button', { name: 'Remove' }).click(),
  },
  { name: 'devices', hash: '#/devices' },
  {
    name: 'device-several-installations',
    hash: '#/devices',
    answers: sharedDevice,
    prepare: (page) => page.getByRole('link', { name: 'Studio Mac' }).first().click(),
  },
  { name: 'sign-lease', hash: '#/devices?new=1' },
  {
    name: 'sign-lease-wrong-file',
    hash: '#/devices?new=1',
    prepare: async (page) => {
      await chooseRequest(page, '{}');
      await page.getByRole('alert').waitFor();
    },
  },
  { name: 'sign-lease-request', hash: '#/devices?new=1', answers: oneLicense, prepare: (page) => chooseRequest(page) },
  {
    name: 'sign-lease-refused',
    hash: '#/devices?new=1',
    answers: { licenses: sampleLicenses(0), signLease: { error: 'MAX_ACTIVATIONS_REACHED' } },
    prepare: signRequest,
  },
  {
    name: 'signed-lease',
    hash: '#/devices?new=1',
    answers: { ...oneLicense, signLease: signedLease },
    prepare: signRequest,
  },
  {
    name: 'signed-lease-german',
    hash: '#/devices?new=1',
    locale: 'de-DE',
    answers: { ...oneLicense, signLease: signedLease },
    prepare: signRequest,
  },
  {
    name: 'sign-lease-japanese',
    hash: '#/devices?new=1',
    locale: 'ja-JP',
    answers: oneLicense,
    prepare: (page) => chooseRequest(page),
  },
  { name: 'devices-empty', hash: '#/devices', answers: { devices: sampleDevices(0) } },
  { name: 'profile', hash: '#/profile' },
  {
    name: 'change-password',
    hash: '#/profile',
    prepare: (page) => page.getByRole('button', { name: 'Change password' }).click(),
  },
  {
    name: 'change-password-refused',
    hash: '#/profile',
    answers: { changeStaffPassword: { error: 'INVALID_CREDENTIALS' } },
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByLabel('Current password').fill('not the password');
      await page.getByLabel('New password').fill('another quiet lantern 12');
      await page.keyboard.press('Enter');
      await page.getByText('This is not your current password.').waitFor();
    },
  },
  {
    name: 'change-password-german',
    hash: '#/profile',
    locale: 'de-DE',
    prepare: (page) => page.getByRole('button', { name: 'Passwort ändern' }).click(),
  },
  {
    name: 'change-password-japanese',
    hash: '#/profile',
    locale: 'ja-JP',
    prepare: (page) => page.getByRole('button', { name: 'パスワードを変更' }).click(),
  },
  { name: 'staff', hash: '#/staff' },
  {
    name: 'staff-passkeys',
    hash: '#/staff',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Passkeys', exact: true }).click();
      await page.getByRole('dialog').getByRole('listitem').first().waitFor();
    },
  },
  { name: 'palette', hash: '#/accounts', prepare: (page) => page.keyboard.press('Control+k') },
];
