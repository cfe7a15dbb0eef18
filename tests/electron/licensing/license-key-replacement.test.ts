/** Replacing the key of the account's license: the device that has the key continues with the new one. */
import { describe, expect, it } from 'vitest';
import { seededPlans } from '../../../shared/seeded-features.ts';
import { errorReply, licenseKey, replacingKey } from './scripted-server.ts';
import { startActivated, startSignedIn, startTestClient } from './start-client.ts';

const input = { password: 'quiet harbour lantern 47', language: 'en' } as const;

type Started = Awaited<ReturnType<typeof startActivated>>;

function lastValidated({ platform }: Started): unknown {
  const sent = platform.http.requests.filter(({ url }) => url.endsWith('/license/validate'));
  return JSON.parse(sent.at(-1)?.body ?? '{}').license_key;
}

describe('a license key', () => {
  it('of this device is replaced here too, and everything continues to work', async () => {
    const testClient = await startActivated();
    const { client } = testClient;
    expect(await client.replaceLicenseKey(input)).toEqual({ ok: true, value: { licenseKey: replacingKey } });
    expect(lastValidated(testClient)).toBe(replacingKey);
    expect(client.getState().license.kind).toBe('works');
    expect(client.getState().activity.some(({ kind }) => kind === 'license-key-replaced')).toBe(true);
    const restarted = await testClient.restart();
    await restarted.client.syncNow();
    expect(restarted.client.getState().license.kind).toBe('works');
    expect(lastValidated(restarted)).toBe(replacingKey);
  });

  it('of another license of the account does not become that of this device', async () => {
    const testClient = await startActivated();
    const { client, platform } = testClient;
    const counts = { activations: 0, max_activations: 3 };
    const other = { key_preview: 'SVC-7777...7777', plan: 'standard', status: 'active', ...counts };
    const features = seededPlans.standard;
    const status = { has_subscription: false, subscription: null, license: other, features };
    platform.http.on('GET /subscription/status', { json: status });
    platform.http.on('POST /license/replace-key', { json: { license_key: replacingKey, license: other } });
    await client.syncNow();
    expect(await client.replaceLicenseKey(input)).toMatchObject({ ok: true });
    expect(lastValidated(testClient)).toBe(licenseKey);
  });

  it('is replaced once more if the first response was lost', async () => {
    const testClient = await startActivated();
    const { client, platform, server } = testClient;
    platform.http.on('POST /license/replace-key', () => {
      server.key = 'SVC-0000-1111-2222-3333';
      return errorReply(500, 'INTERNAL_ERROR');
    });
    expect(await client.replaceLicenseKey(input)).toMatchObject({ ok: false });
    expect(client.getState().license.kind).toBe('works');
    await client.syncNow();
    expect(client.getState().license).toEqual({ kind: 'blocked', reason: 'not-found' });
    platform.http.on('POST /license/replace-key', () => {
      server.key = replacingKey;
      const shown = { key_preview: 'SVC-9K2M...Q8YH', plan: 'standard', status: 'active' };
      return { json: { license_key: replacingKey, license: { ...shown, activations: 1, max_activations: 3 } } };
    });
    expect(await client.replaceLicenseKey(input)).toMatchObject({ ok: true });
    expect(lastValidated(testClient)).toBe(replacingKey);
    expect(client.getState().license.kind).toBe('works');
  });

  it('is requested again with the same Idempotency-Key after a lost response and a wrong password, and with a new one once replaced', async () => {
    const { client, platform } = await startActivated();
    const shown = { key_preview: 'SVC-9K2M...Q8YH', plan: 'standard', status: 'active' };
    const replaced = { license_key: replacingKey, license: { ...shown, activations: 1, max_activations: 3 } };
    platform.http.on('POST /license/replace-key', errorReply(500, 'INTERNAL_ERROR'));
    expect(await client.replaceLicenseKey(input)).toMatchObject({ ok: false });
    platform.http.on('POST /license/replace-key', errorReply(401, 'INVALID_CREDENTIALS'));
    expect(await client.replaceLicenseKey(input)).toMatchObject({ ok: false });
    platform.http.on('POST /license/replace-key', { json: replaced });
    for (let times = 0; times < 2; times++) expect(await client.replaceLicenseKey(input)).toMatchObject({ ok: true });
    const sent = platform.http.requests.filter(({ url }) => url.endsWith('/license/replace-key'));
    const [lost, refused, repeated, next] = sent.map(({ headers }) => headers['idempotency-key']);
    expect(lost).toMatch(/./);
    expect([refused, repeated]).toEqual([lost, lost]);
    expect(next).not.toBe(lost);
  });

  it('is requested with a new Idempotency-Key after any other refusal', async () => {
    const { client, platform } = await startActivated();
    platform.http.on('POST /license/replace-key', errorReply(403, 'LICENSE_INACTIVE'));
    for (let times = 0; times < 2; times++) {
      expect(await client.replaceLicenseKey(input)).toMatchObject({ failure: { code: 'LICENSE_INACTIVE' } });
    }
    const sent = platform.http.requests.filter(({ url }) => url.endsWith('/license/replace-key'));
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
  });

  it('is not requested if nobody is signed in', async () => {
    const { client, platform } = await startTestClient();
    expect(await client.replaceLicenseKey(input)).toMatchObject({ failure: { code: 'NOT_SIGNED_IN' } });
    expect(platform.http.to('/license/replace-key')).toHaveLength(0);
  });

  it('does not become that of a device that has none, nor of one whose license is only refused', async () => {
    const { client, platform } = await startSignedIn();
    expect(await client.replaceLicenseKey(input)).toMatchObject({ ok: true });
    expect(platform.http.to('/license/validate')).toHaveLength(0);

    const refused = await startActivated();
    const counts = { activations: 0, max_activations: 3 };
    const other = { key_preview: 'SVC-7777...7777', plan: 'standard', status: 'active', ...counts };
    const status = { has_subscription: false, subscription: null, license: other, features: seededPlans.standard };
    refused.platform.http.on('GET /subscription/status', { json: status });
    refused.platform.http.on('POST /license/replace-key', { json: { license_key: replacingKey, license: other } });
    refused.server.invalidCode = 'LICENSE_REVOKED';
    await refused.client.syncNow();
    expect(await refused.client.replaceLicenseKey(input)).toMatchObject({ ok: true });
    expect(lastValidated(refused)).toBe(licenseKey);
  });

  it('is replaced although the server has reported nothing about the license yet, or no license', async () => {
    const { client, platform } = await startTestClient();
    platform.http.on('POST /license/validate', errorReply(403, 'FORBIDDEN'));
    platform.http.on('GET /subscription/status', errorReply(403, 'FORBIDDEN'));
    await client.signIn({ email: 'ada@lab.org', password: 'correct horse battery' });
    expect(await client.activateLicense({ licenseKey })).toMatchObject({ ok: true });
    expect(await client.replaceLicenseKey(input)).toMatchObject({ ok: true });
    const status = { has_subscription: false, subscription: null, license: null, features: seededPlans.standard };
    platform.http.on('GET /subscription/status', { json: status });
    await client.syncNow();
    expect(await client.replaceLicenseKey(input)).toMatchObject({ ok: true });
  });

  it('is never requested with the Idempotency-Key of another user', async () => {
    const { client, platform, server } = await startActivated();
    platform.http.on('POST /license/replace-key', errorReply(500, 'INTERNAL_ERROR'));
    await client.replaceLicenseKey(input);
    server.user = { id: '01890000-0000-7000-8000-00000000000b', email: 'grace@lab.org', full_name: 'Grace' };
    await client.signIn({ email: 'grace@lab.org', password: 'correct horse battery' });
    await client.replaceLicenseKey(input);
    const sent = platform.http.requests.filter(({ url }) => url.endsWith('/license/replace-key'));
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
  });

  it('is not replaced with a wrong password, nor by a server without that endpoint', async () => {
    const { client, platform } = await startActivated();
    expect(await client.replaceLicenseKey({ ...input, password: 'wrong' })).toMatchObject({
      failure: { code: 'INVALID_CREDENTIALS' },
    });
    expect(client.getState().session.kind).toBe('signed-in');
    platform.http.on('POST /license/replace-key', errorReply(404, 'NOT_FOUND'));
    expect(await client.replaceLicenseKey(input)).toMatchObject({ failure: { code: 'NOT_SUPPORTED_BY_SERVER' } });
  });
});
