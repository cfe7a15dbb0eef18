/** An account that has used every service, and a check that a database still has all of its data. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Admin } from './admin.ts';
import type { HttpServer } from './http-server.ts';

const deviceId = 'HW-01234567-89ABCDEF-01234567-89ABCDEF';

export type Facts = {
  email: string;
  password: string;
  token: string;
  refreshToken: string;
  licenseKey: string;
  apiKey: string;
};

/**
 * Creates the account: signs up, subscribes, activates, generates an API key, sends a
 * heartbeat and publishes an installer.
 */
export async function useEverything(admin: Admin, server: HttpServer): Promise<Facts> {
  const [email, password] = [`${randomUUID()}@example.com`, 'a fine passphrase'];
  const { body: session } = await server.call('signup', { body: { email, password, full_name: 'Ada Ω' } });
  const token = String(session.access_token);
  await admin.json(['subscription', 'set', email, '--plan', 'standard']);
  const { license_key: licenseKey } = await admin.json<{ license_key: string }>(['license', 'issue', '--email', email]);
  const device = {
    license_key: licenseKey,
    device_id: deviceId,
    device_name: 'Office computer',
    platform: 'linux x64',
  };
  expect((await server.call('activateLicense', { body: device, token })).status).toBe(200);
  const { body: key } = await server.call('apiKey', { body: {}, token });
  expect((await server.call('heartbeat', { body: { device_id: deviceId }, token })).body).toMatchObject({
    success: true,
  });
  await admin.json(['installer', 'publish', '1.0.0', '--linux-amd64', `sha256:${'ab'.repeat(32)}`]);
  return {
    email,
    password,
    token,
    refreshToken: String(session.refresh_token),
    licenseKey,
    apiKey: String(key.api_key),
  };
}

/** Expects all data to be there, and earlier tokens and keys to be valid. */
export async function findEverything(server: HttpServer, facts: Facts): Promise<void> {
  const { email, password, token, licenseKey, apiKey } = facts;
  expect((await server.call('subscriptionStatus', { token })).body).toMatchObject({
    subscription: { plan: 'standard', status: 'active' },
    license: { activations: 1 },
  });
  const validated = await server.call('validateLicense', {
    body: { license_key: licenseKey, device_id: deviceId },
    token,
  });
  expect(validated.body).toMatchObject({ valid: true, already_activated_on_device: true });
  const checked = await server.call('validateApiKey', { body: { api_key: apiKey } });
  expect(checked.body).toMatchObject({ valid: true, source: 'new' });
  expect((await server.call('installerHashes')).body).toMatchObject({ version: '1.0.0' });
  expect((await server.call('installerByHash', { at: ['0'.repeat(64)] })).body).toStrictEqual({ known: false });
  expect((await server.call('login', { body: { email, password } })).body.user).toMatchObject({ full_name: 'Ada Ω' });
}
