/** Calls every endpoint of the table, in the order in which a user needs them. */
import { expect } from 'vitest';
import type { Session } from '../../shared/api/auth.ts';
import { type Endpoint, type EndpointName, endpoints } from '../../shared/api/endpoints.ts';
import type { TestResponse } from '../harness/test-client.ts';
import type { TestServer } from '../harness/test-server.ts';
import { goodPassword, issueLicense, newDeviceId, newEmail, subscriber } from '../harness/users.ts';

/** Endpoints that are tested in `tests/server/mail` instead. */
export const needMailServer: readonly EndpointName[] = [
  'forgotPassword',
  'resetPassword',
  'emailStatus',
  'changeEmail',
  'sendEmailConfirmation',
  'confirmEmail',
];

/** Calls every endpoint, expects exactly the fields in the table, and returns the responses. */
export async function callEveryEndpoint(on: TestServer): Promise<Partial<Record<EndpointName, TestResponse>>> {
  const { email, password, token, refreshToken } = await subscriber(on);
  const { key } = await issueLicense(on, '--email', email);
  await on.admin('installer', 'publish', '1.0.0', '--linux-amd64', `sha256:${'0a'.repeat(32)}`);
  const responses: Partial<Record<EndpointName, TestResponse>> = {};
  const call = async (name: EndpointName, options: Parameters<typeof on.call>[1] = {}) => {
    const response = await on.call(name, options);
    expect(response.status, `${name}: ${response.text}`).toBe(200);
    expect(response.body, name).toStrictEqual((endpoints[name] as Endpoint).response.parse(response.body));
    responses[name] = response;
    return response.body;
  };
  const device_id = newDeviceId();
  const body = { license_key: key, device_id, device_name: 'Office computer', platform: 'linux' };
  await call('signup', { body: { email: newEmail(), password: goodPassword, full_name: 'Ada' } });
  const { access_token: leaving } = await call('login', { body: { email, password: goodPassword } });
  const sameOrigin = { 'sec-fetch-site': 'same-origin' };
  await call('accountSignIn', { body: { email, password: goodPassword }, headers: sameOrigin });
  await call('accountSession', { token: String(leaving) });
  await call('accountSignOut', { token: String(leaving), body: { all_devices: false } });
  const refreshed = await call('refresh', { body: { refresh_token: refreshToken } });
  await call('subscriptionStatus', { token });
  await call('validateLicense', { token, body });
  const { activation_id } = await call('activateLicense', { token, body });
  await call('heartbeat', { token, body: { device_id } });
  await call('lease', { token, body: { device_id } });
  await call('listActivations', { token });
  await call('releaseActivation', { token, at: String(activation_id) });
  const { api_key } = await call('apiKey', { token, body: {} });
  await call('validateApiKey', { body: { api_key } });
  await call('apiKeyStatus', { token });
  await call('reportApiKey', { body: { api_key } });
  await call('apiKeyStatus', { token });
  await call('checkoutToken', { token });
  await call('about');
  await call('features');
  await call('replaceLicenseKey', { token, body: { password } });
  await call('installerHashes');
  await call('installerByHash', { at: '0'.repeat(64) });
  const { sessions } = await call('sessions', { token });
  const other = (sessions as Session[]).find(({ current }) => !current);
  await call('endSession', { token, at: other?.session_id });
  await call('exportAccount', { token });
  const { refresh_token } = refreshed;
  await call('changePassword', {
    token,
    body: { current_password: password, new_password: `${password} 2`, refresh_token },
  });
  await call('logout', { body: { refresh_token } });
  const again = await call('login', { body: { email, password: `${password} 2` } });
  await call('deleteOwnAccount', { token: String(again.access_token), body: { password: `${password} 2` } });
  const called = new Set<string>([...Object.keys(responses), ...needMailServer]);
  expect([...called].sort()).toStrictEqual(Object.keys(endpoints).sort());
  return responses;
}
