/** Each endpoint of the interface, called with the generated client. */
import type { Client } from 'openapi-fetch';
import type { paths } from '../../../.cache/generated-client/interface.d.ts';
import type { EndpointName, RequestOf, ResponseOf } from '../../../shared/api/endpoints.ts';
import type { CallInput, CallResult } from './call-types.ts';

/**
 * A call has the input and output types of the endpoint table, so this compiles only if the generated types accept
 * every such request and promise at least as much of the response.
 */
type InterfaceCalls = {
  readonly [N in EndpointName]: (
    client: Client<paths>,
    input: CallInput<RequestOf<N>>,
  ) => Promise<CallResult<ResponseOf<N>>>;
};

export const interfaceCalls: InterfaceCalls = {
  login: (client, { body, headers }) => client.POST('/auth/login', { body, headers }),
  signup: (client, { body, headers }) => client.POST('/auth/signup', { body, headers }),
  refresh: (client, { body, headers }) => client.POST('/auth/refresh', { body, headers }),
  logout: (client, { body, headers }) => client.POST('/auth/logout', { body, headers }),
  changePassword: (client, { body, headers }) => client.POST('/auth/password', { body, headers }),
  forgotPassword: (client, { body, headers }) => client.POST('/auth/password/forgot', { body, headers }),
  resetPassword: (client, { body, headers }) => client.POST('/auth/password/reset', { body, headers }),
  sessions: (client, { headers }) => client.GET('/auth/sessions', { headers }),
  endSession: (client, { at: [session_id], headers }) =>
    client.DELETE('/auth/sessions/{session_id}', { params: { path: { session_id } }, headers }),
  emailStatus: (client, { headers }) => client.GET('/auth/email', { headers }),
  changeEmail: (client, { body, headers }) => client.POST('/auth/email', { body, headers }),
  sendEmailConfirmation: (client, { headers }) => client.POST('/auth/email/send-confirmation', { headers }),
  confirmEmail: (client, { body, headers }) => client.POST('/auth/email/confirm', { body, headers }),
  deleteOwnAccount: (client, { body, headers }) => client.POST('/auth/account/delete', { body, headers }),
  exportAccount: (client, { headers }) => client.GET('/auth/account/export', { headers }),
  subscriptionStatus: (client, { headers }) => client.GET('/subscription/status', { headers }),
  validateLicense: (client, { body, headers }) => client.POST('/license/validate', { body, headers }),
  activateLicense: (client, { body, headers }) => client.POST('/license/activate', { body, headers }),
  accountSignIn: (client, { body, headers }) => client.POST('/account/session', { body, headers }),
  accountSession: (client, { headers }) => client.GET('/account/session', { headers }),
  accountSignOut: (client, { body, headers }) => client.POST('/account/session/end', { body, headers }),
  listActivations: (client, { headers }) => client.GET('/license/activations', { headers }),
  releaseActivation: (client, { at: [activation_id], headers }) =>
    client.DELETE('/license/activations/{activation_id}', { params: { path: { activation_id } }, headers }),
  replaceLicenseKey: (client, { body, headers }) => client.POST('/license/replace-key', { body, headers }),
  lease: (client, { body, headers }) => client.POST('/license/lease', { body, headers }),
  apiKey: (client, { body, headers }) => client.POST('/metrics/api-key', { body, headers }),
  validateApiKey: (client, { body, headers }) => client.POST('/metrics/api-key/validate', { body, headers }),
  apiKeyStatus: (client, { headers }) => client.GET('/metrics/api-key/status', { headers }),
  reportApiKey: (client, { body, headers }) => client.POST('/metrics/api-key/report', { body, headers }),
  heartbeat: (client, { body, headers }) => client.POST('/heartbeat', { body, headers }),
  installerHashes: (client, { headers }) => client.GET('/binary-hash', { headers }),
  about: (client, { headers }) => client.GET('/about', { headers }),
  features: (client, { headers }) => client.GET('/features', { headers }),
  checkoutToken: (client, { headers }) => client.GET('/billing/checkout-token', { headers }),
  installerByHash: (client, { at: [sha256], headers }) =>
    client.GET('/binary-hash/{sha256}', { params: { path: { sha256 } }, headers }),
};
