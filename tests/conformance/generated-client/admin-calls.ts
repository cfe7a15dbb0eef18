/** Each endpoint of the admin page, called with the generated client. */
import type { Client } from 'openapi-fetch';
import type { paths } from '../../../.cache/generated-client/admin.d.ts';
import { uploadInstallerParams } from '../../../shared/api/admin/installers.ts';
import type {
  AdminEndpointName,
  AdminQueryOf,
  AdminRequestOf,
  AdminResponseOf,
} from '../../../shared/api/admin-endpoints.ts';
import type { CallInput, CallResult } from './call-types.ts';

/** The counterpart of `InterfaceCalls` for the admin page. */
type AdminCalls = {
  readonly [N in AdminEndpointName]: (
    client: Client<paths>,
    // A file is a string in the types, as OpenAPI describes one.
    input: CallInput<N extends 'uploadInstaller' | 'compareInstaller' ? string : AdminRequestOf<N>, AdminQueryOf<N>>,
  ) => Promise<CallResult<AdminResponseOf<N>>>;
};

const { platform: installerPlatform } = uploadInstallerParams.shape;
const withId = ([id]: readonly [string, string]) => ({ path: { id } });

export const adminCalls: AdminCalls = {
  staffSignIn: (client, { body, headers }) => client.POST('/admin/session', { body, headers }),
  staffPasskeyOptions: (client, { headers }) => client.POST('/admin/session/passkey/options', { headers }),
  staffPasskeySignIn: (client, { body, headers }) => client.POST('/admin/session/passkey', { body, headers }),
  staffSession: (client, { headers }) => client.GET('/admin/session', { headers }),
  staffSignOut: (client, { headers }) => client.DELETE('/admin/session', { headers }),
  staffConfirm: (client, { body, headers }) => client.POST('/admin/session/confirm', { body, headers }),
  startSingleSignOn: (client, { body, headers }) => client.POST('/admin/session/oidc', { body, headers }),
  confirmBySingleSignOn: (client, { headers }) => client.POST('/admin/session/confirm/oidc', { headers }),
  staffConfirmPasskeyOptions: (client, { headers }) =>
    client.POST('/admin/session/confirm/passkey/options', { headers }),
  staffConfirmPasskey: (client, { body, headers }) => client.POST('/admin/session/confirm/passkey', { body, headers }),
  staffSignInOptions: (client, { headers }) => client.GET('/admin/session/options', { headers }),
  forgotStaffPassword: (client, { body, headers }) => client.POST('/admin/password/forgot', { body, headers }),
  changeStaffPassword: (client, { body, headers }) => client.POST('/admin/password', { body, headers }),
  staffSessions: (client, { headers }) => client.GET('/admin/sessions', { headers }),
  endStaffSession: (client, { at, headers }) => client.DELETE('/admin/sessions/{id}', { params: withId(at), headers }),
  passkeys: (client, { headers }) => client.GET('/admin/passkeys', { headers }),
  memberPasskeys: (client, { at, headers }) =>
    client.GET('/admin/staff/{id}/passkeys', { params: withId(at), headers }),
  addPasskeyOptions: (client, { headers }) => client.POST('/admin/passkeys/options', { headers }),
  addPasskey: (client, { body, headers }) => client.POST('/admin/passkeys', { body, headers }),
  removePasskey: (client, { at, headers }) => client.DELETE('/admin/passkeys/{id}', { params: withId(at), headers }),
  welcome: (client, { body, headers }) => client.POST('/admin/welcome/check', { body, headers }),
  redeemWelcome: (client, { body, headers }) => client.POST('/admin/welcome', { body, headers }),
  staff: (client, { headers }) => client.GET('/admin/staff', { headers }),
  addStaff: (client, { body, headers }) => client.POST('/admin/staff', { body, headers }),
  setStaffRole: (client, { body, at, headers }) =>
    client.PUT('/admin/staff/{id}', { body, params: withId(at), headers }),
  removeStaff: (client, { at, headers }) => client.DELETE('/admin/staff/{id}', { params: withId(at), headers }),
  createStaffLink: (client, { at, headers }) => client.POST('/admin/staff/{id}/link', { params: withId(at), headers }),
  overview: (client, { headers }) => client.GET('/admin/overview', { headers }),
  accounts: (client, { query, headers }) => client.GET('/admin/accounts', { params: { query }, headers }),
  account: (client, { at, headers }) => client.GET('/admin/accounts/{id}', { params: withId(at), headers }),
  createAccount: (client, { body, headers }) => client.POST('/admin/accounts', { body, headers }),
  inviteAccount: (client, { body, headers }) => client.POST('/admin/accounts/invite', { body, headers }),
  sendInvitation: (client, { body, headers }) => client.POST('/admin/accounts/invite/send', { body, headers }),
  updateFeed: (client, { headers }) => client.GET('/admin/updates', { headers }),
  rolloutUpdate: (client, { body, at: [version], headers }) =>
    client.PUT('/admin/updates/{version}/rollout', { body, params: { path: { version } }, headers }),
  withdrawUpdate: (client, { at: [version], headers }) =>
    client.DELETE('/admin/updates/{version}', { params: { path: { version } }, headers }),
  deleteAccount: (client, { at, headers }) => client.DELETE('/admin/accounts/{id}', { params: withId(at), headers }),
  setAccountPassword: (client, { body, at, headers }) =>
    client.PUT('/admin/accounts/{id}/password', { body, params: withId(at), headers }),
  setAccountSubscription: (client, { body, at, headers }) =>
    client.PUT('/admin/accounts/{id}/subscription', { body, params: withId(at), headers }),
  endAccountSessions: (client, { at, headers }) =>
    client.DELETE('/admin/accounts/{id}/sessions', { params: withId(at), headers }),
  licenses: (client, { query, headers }) => client.GET('/admin/licenses', { params: { query }, headers }),
  license: (client, { at, headers }) => client.GET('/admin/licenses/{id}', { params: withId(at), headers }),
  issueLicense: (client, { body, headers }) => client.POST('/admin/licenses', { body, headers }),
  sendLicense: (client, { body, at, headers }) =>
    client.POST('/admin/licenses/{id}/send', { body, params: withId(at), headers }),
  replaceLicenseKeyOf: (client, { body, at, headers }) =>
    client.POST('/admin/licenses/{id}/replace-key', { body, params: withId(at), headers }),
  signLease: (client, { body, headers }) => client.POST('/admin/leases', { body, headers }),
  suspendLicense: (client, { at, headers }) =>
    client.POST('/admin/licenses/{id}/suspend', { params: withId(at), headers }),
  reinstateLicense: (client, { at, headers }) =>
    client.POST('/admin/licenses/{id}/reinstate', { params: withId(at), headers }),
  revokeLicense: (client, { at, headers }) =>
    client.POST('/admin/licenses/{id}/revoke', { params: withId(at), headers }),
  setLicenseExpiry: (client, { body, at, headers }) =>
    client.PUT('/admin/licenses/{id}/expiry', { body, params: withId(at), headers }),
  setLicenseUpdatesUntil: (client, { body, at, headers }) =>
    client.PUT('/admin/licenses/{id}/updates-until', { body, params: withId(at), headers }),
  setLicenseMaxActivations: (client, { body, at, headers }) =>
    client.PUT('/admin/licenses/{id}/max-activations', { body, params: withId(at), headers }),
  releaseLicenseDevice: (client, { at: [id, device_id], headers }) =>
    client.DELETE('/admin/licenses/{id}/devices/{device_id}', { params: { path: { id, device_id } }, headers }),
  devices: (client, { query, headers }) => client.GET('/admin/devices', { params: { query }, headers }),
  apiKeys: (client, { query, headers }) => client.GET('/admin/api-keys', { params: { query }, headers }),
  revokeApiKey: (client, { at, headers }) => client.DELETE('/admin/api-keys/{id}', { params: withId(at), headers }),
  plans: (client, { headers }) => client.GET('/admin/plans', { headers }),
  setPlan: (client, { body, at: [name], headers }) =>
    client.PUT('/admin/plans/{name}', { body, params: { path: { name } }, headers }),
  featureRecords: (client, { headers }) => client.GET('/admin/features', { headers }),
  setFeature: (client, { body, at: [name], headers }) =>
    client.PUT('/admin/features/{name}', { body, params: { path: { name } }, headers }),
  removeFeature: (client, { body, at: [name], headers }) =>
    client.DELETE('/admin/features/{name}', { body, params: { path: { name } }, headers }),
  installers: (client, { headers }) => client.GET('/admin/installers', { headers }),
  publishInstallers: (client, { body, headers }) => client.PUT('/admin/installers', { body, headers }),
  uploadInstaller: (client, { body, at: [version, platform], headers }) =>
    client.PUT('/admin/installers/{version}/{platform}', {
      body,
      bodySerializer: (file) => file,
      params: {
        path: { version, platform: installerPlatform.parse(platform) },
        header: { 'x-sha256': headers['x-sha256'] ?? '' },
      },
      headers,
    }),
  compareInstaller: (client, { body, headers }) =>
    client.POST('/admin/installers/compare', {
      body,
      bodySerializer: (file) => file,
      params: { header: { 'x-sha256': headers['x-sha256'] ?? '' } },
      headers,
    }),
  clearInstallers: (client, { headers }) => client.DELETE('/admin/installers', { headers }),
  audit: (client, { query, headers }) => client.GET('/admin/audit', { params: { query }, headers }),
  webhooks: (client, { headers }) => client.GET('/admin/webhooks', { headers }),
  addWebhook: (client, { body, headers }) => client.POST('/admin/webhooks', { body, headers }),
  removeWebhook: (client, { at, headers }) => client.DELETE('/admin/webhooks/{id}', { params: withId(at), headers }),
  webhookDeliveries: (client, { at, query, headers }) =>
    client.GET('/admin/webhooks/{id}/deliveries', { params: { ...withId(at), query }, headers }),
  replayDelivery: (client, { at, headers }) =>
    client.POST('/admin/deliveries/{id}/replay', { params: withId(at), headers }),
  billingEvents: (client, { query, headers }) => client.GET('/admin/billing-events', { params: { query }, headers }),
  retryBillingEvent: (client, { at, headers }) =>
    client.POST('/admin/billing-events/{id}/retry', { params: withId(at), headers }),
  dismissBillingEvent: (client, { at, headers }) =>
    client.POST('/admin/billing-events/{id}/dismiss', { params: withId(at), headers }),
  serverInfo: (client, { headers }) => client.GET('/admin/server', { headers }),
};
