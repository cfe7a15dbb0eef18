/** Activation and the device limit, the devices of the account, and their release. */
import { describe, expect, it } from 'vitest';
import { type ActivationInput, chooseKey } from '../../../electron/licensing/activation.ts';
import type { Activation as ListedActivation } from '../../../shared/api/license.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';
import type { FakePlatform } from '../fake-platform.ts';
import { activationId, errorReply, licenseKey, missing, replacingKey } from './scripted-server.ts';
import {
  licenseDocumentName,
  startActivated,
  startSignedIn,
  startTestClient,
  type TestClient,
} from './start-client.ts';

describe('activating this device', () => {
  it('requires a session', async () => {
    const { client } = await startTestClient();
    expect(await client.activateLicense({ licenseKey })).toMatchObject({
      ok: false,
      failure: { code: 'NOT_SIGNED_IN' },
    });
  });

  it.each(['LICENSE_NOT_FOUND', 'LICENSE_REVOKED', 'LICENSE_EXPIRED', 'LICENSE_INACTIVE', 'SUBSCRIPTION_INACTIVE'])(
    'fails with %s and leaves the device as it was',
    async (code) => {
      const { client, platform, server } = await startSignedIn();
      server.invalidCode = code;
      expect(await client.activateLicense({ licenseKey })).toMatchObject({ ok: false, failure: { code } });
      expect(client.getState().license).toEqual({ kind: 'not-activated' });
      expect(platform.http.to('/license/activate')).toHaveLength(0);
    },
  );

  it('with its own key, which the server has revoked, turns everything off at once', async () => {
    const { client, server, on } = await startActivated();
    server.invalidCode = 'LICENSE_REVOKED';
    expect(await client.activateLicense({ licenseKey })).toMatchObject({ failure: { code: 'LICENSE_REVOKED' } });
    expect(client.getState().license).toMatchObject({ kind: 'blocked', reason: 'revoked' });
    expect(on()).toEqual([]);
  });

  it('with another key that is invalid keeps the one that works', async () => {
    const { client, on } = await startActivated();
    expect(await client.activateLicense({ licenseKey: 'SVC-0000-0000-0000-0000' })).toMatchObject({ ok: false });
    expect(on()).toHaveLength(6);
  });

  it('sends a key in another server’s format as it was typed', async () => {
    const { client, platform } = await startSignedIn();
    await client.activateLicense({ licenseKey: ' ACME-oil1-abcd-EFGH-0000 ' });
    expect(platform.http.to('/license/validate')[0]?.body).toContain('"ACME-oil1-abcd-EFGH-0000"');
  });

  it('sends a key in the Latchkey format in its canonical form, however it was typed', async () => {
    const { client, platform } = await startSignedIn();
    await client.activateLicense({ licenseKey: ` ${licenseKey.toLowerCase().replaceAll('-', ' ')} ` });
    expect(platform.http.to('/license/activate')[0]?.body).toContain(`"${licenseKey}"`);
  });

  it('sends the device’s name and platform, truncated to the limit of the interface', async () => {
    const { client, platform } = await startSignedIn();
    Object.assign(platform.machine, { deviceName: '\u{1F600}'.repeat(300) });
    await client.activateLicense({ licenseKey });
    const body = JSON.parse(platform.http.to('/license/activate')[0]?.body ?? '{}');
    expect([...body.device_name]).toHaveLength(200);
    expect(body.platform).toBe('linux x64');
    expect(body).not.toHaveProperty('replaces');
  });

  it('sends an empty name for a device that has none', async () => {
    const { client, platform } = await startSignedIn();
    Object.assign(platform.machine, { deviceName: '' });
    await client.activateLicense({ licenseKey });
    expect(JSON.parse(platform.http.to('/license/activate')[0]?.body ?? '{}').device_name).toBe('');
    expect(client.getState().activity[0]).toMatchObject({ kind: 'device-activated', detail: null });
  });

  it('fails with the code of the server if a license that was just valid cannot be activated', async () => {
    const { client, platform } = await startSignedIn();
    platform.http.on('POST /license/activate', errorReply(403, 'LICENSE_INACTIVE'));
    expect(await client.activateLicense({ licenseKey })).toMatchObject({ failure: { code: 'LICENSE_INACTIVE' } });
    expect(client.getState().license).toEqual({ kind: 'not-activated' });
  });

  it('with nothing typed and no stored key sends no key', () => {
    expect(chooseKey('  ', null)).toBe('');
    expect(chooseKey('  ', licenseKey)).toBe(licenseKey);
  });

  it('does not activate a device that is already active', async () => {
    const { client, platform, server } = await startSignedIn();
    server.activated = true;
    expect(await client.activateLicense({ licenseKey })).toMatchObject({ ok: true, value: { kind: 'activated' } });
    expect(platform.http.to('/license/activate')).toHaveLength(0);
    expect(client.getState().thisDevice).toMatchObject({ activated: true, activationId });
  });

  it('immediately clears the warning that the device was not activated', async () => {
    const { client, server } = await startSignedIn();
    server.warning = 'This device is not activated on your license.';
    await client.syncNow();
    expect(client.getState().warnings).toHaveLength(1);
    await client.activateLicense({ licenseKey });
    expect(client.getState().warnings).toEqual([]);
  });

  it('is repeated if its response was lost, and counts once', async () => {
    const { client, platform, server } = await startSignedIn();
    let lost = 0;
    platform.http.on('POST /license/activate', () => {
      server.activated = true;
      if (lost++ === 0) return { fails: 'unreachable' };
      return { json: { success: true, activation_id: activationId, activations: 2, max_activations: 3, message: '' } };
    });
    const result = client.activateLicense({ licenseKey });
    await platform.clock.advance(1000);
    expect(await result).toMatchObject({ ok: true, value: { activations: 2 } });
  });

  it('is not undone by a sync that was already in progress', async () => {
    const { client, platform, server, on } = await startActivated();
    let respond = () => {};
    const old = { valid: true, plan: 'standard', status: 'active', activations: 1, max_activations: 3 };
    server.activated = false;
    await client.syncNow();
    platform.http.on('POST /license/validate', async () => {
      await new Promise<void>((resolve) => {
        respond = resolve;
      });
      return { json: { ...old, can_activate: true, already_activated_on_device: false, features: server.features } };
    });
    const syncing = client.syncNow();
    await platform.clock.advance(1);
    platform.http.on('POST /license/validate', {
      json: { ...old, can_activate: true, already_activated_on_device: false, features: server.features },
    });
    await client.activateLicense({ licenseKey });
    respond();
    await syncing;
    expect(on()).toHaveLength(6);
  });
});

const listedActivation = {
  activation_id: 'listed',
  key_preview: 'SVC-AB12...GH7X',
  device_id: 'HW-2',
  device_name: 'Bench',
  platform: 'linux x64',
  activated_at: '2026-03-01T00:00:00.000Z',
  last_seen_at: '2026-03-01T00:00:00.000Z',
  activity: 'active',
} satisfies ListedActivation;

describe('the device limit', () => {
  it('is reported with the devices that could be replaced', async () => {
    const { client, server } = await startSignedIn();
    server.activations = 3;
    expect(await client.activateLicense({ licenseKey })).toEqual({
      ok: true,
      value: {
        kind: 'device-limit-reached',
        maxActivations: 3,
        placeFreeAt: null,
        replacement: {
          kind: 'devices',
          devices: [expect.objectContaining({ name: 'Old Laptop', isThisDevice: false })],
          lookAlikes: [],
        },
      },
    });
    expect(client.getState().license.kind).toBe('not-activated');
  });

  const limitReached = (error: string, headers: Record<string, string> = {}) => ({
    status: 409,
    json: { error, code: 'MAX_ACTIVATIONS_REACHED' },
    headers,
  });

  it.each([
    'This license cannot be used on another new device until 3 December 2026.',
    'Diese Lizenz hat bis dahin keinen Platz für ein weiteres Gerät.',
    '',
  ])('with Retry-After is reported with that time, whatever the message is: "%s"', async (error) => {
    const { client, platform, server } = await startSignedIn();
    platform.http.on('POST /license/activate', limitReached(error, { 'retry-after': '2592000' }));
    const before = platform.http.requests.length;
    expect(await client.activateLicense({ licenseKey })).toEqual({
      ok: true,
      value: {
        kind: 'device-limit-reached',
        maxActivations: server.maxActivations,
        placeFreeAt: new Date(platform.clock.now() + 2_592_000_000).toISOString(),
        replacement: { kind: 'wait' },
      },
    });
    expect(requestsSince(platform, before)).toEqual(['POST /license/validate', 'POST /license/activate']);
  });

  it('without Retry-After offers devices, even though the message names a day', async () => {
    const { client, platform } = await startSignedIn();
    const error = 'This license cannot be used on another new device until 3 December 2026.';
    platform.http.on('POST /license/activate', limitReached(error));
    expect(await client.activateLicense({ licenseKey })).toMatchObject({
      value: { placeFreeAt: null, replacement: { kind: 'devices' } },
    });
  });

  it('during a replacement reports when that device can be replaced, and offers the others', async () => {
    const { client, platform } = await startSignedIn();
    platform.http.on('POST /license/activate', limitReached('Nein.', { 'retry-after': '60' }));
    const result = await client.activateLicense({ licenseKey, replaces: 'listed' });
    expect(result).toMatchObject({ value: { placeFreeAt: expect.any(String), replacement: { kind: 'devices' } } });
  });

  it('puts the places held by released devices and the limit on new devices into the state if the server lists them', async () => {
    const { client, platform } = await startSignedIn();
    const { activity: _, activated_at: __, last_seen_at: ___, ...device } = listedActivation;
    const placeFreeAt = '2026-12-03T12:00:00.000Z';
    platform.http.on('GET /license/activations', {
      json: {
        activations: [],
        released_devices: [{ ...device, released_at: '2026-11-30T00:00:00.000Z', place_free_at: placeFreeAt }],
        new_devices: [{ key_preview: 'SVC-AB12...GH7X', remaining: 1, until: placeFreeAt }],
      },
    });
    await client.listDevices();
    const keyPreview = 'SVC-AB12...GH7X';
    expect(client.getState().places).toEqual({
      released: [{ activationId: 'listed', keyPreview, name: 'Bench', platform: 'linux x64', placeFreeAt }],
      newDevices: [{ keyPreview, remaining: 1, until: placeFreeAt }],
    });
    platform.http.on('GET /license/activations', { json: { activations: [] } });
    await client.listDevices();
    expect(client.getState().places).toEqual({ released: [], newDevices: [] });
  });

  describe('offers', () => {
    const listDevices = (platform: FakePlatform, ...devices: readonly Partial<ListedActivation>[]) =>
      platform.http.on('GET /license/activations', {
        json: { activations: devices.map((device) => ({ ...listedActivation, ...device })) },
      });
    const replacementOf = async (client: TestClient['client']) => {
      const result = await client.activateLicense({ licenseKey });
      if (!result.ok || result.value.kind !== 'device-limit-reached') throw new Error('the limit was not reached');
      const { replacement } = result.value;
      return replacement.kind === 'devices' ? replacement.devices.map((device) => device.activationId) : replacement;
    };

    it('the devices of the license, the longest unseen first, never this one', async () => {
      const { client, platform, server } = await startSignedIn();
      server.activations = 3;
      listDevices(
        platform,
        { activation_id: 'recent', last_seen_at: '2026-03-02T00:00:00.000Z' },
        { activation_id: 'own', device_id: client.getState().thisDevice?.deviceId ?? '' },
        { activation_id: 'unseen', last_seen_at: '2026-02-01T00:00:00.000Z' },
        { activation_id: 'other', key_preview: 'SVC-ZZZZ...ZZZZ', last_seen_at: '2026-01-01T00:00:00.000Z' },
      );
      expect(await replacementOf(client)).toEqual(['unseen', 'recent']);
    });

    it('inactive devices of the same name first, which are probably this device before a reinstallation', async () => {
      const { client, platform, server } = await startSignedIn();
      server.activations = 3;
      const unseen = '2026-01-01T00:00:00.000Z';
      listDevices(
        platform,
        { activation_id: 'unseen', last_seen_at: unseen, activity: 'stale' },
        { activation_id: 'twin in use', device_name: 'Studio Mac', last_seen_at: '2026-03-01T00:00:00.000Z' },
        {
          activation_id: 'before',
          device_name: 'studio mac',
          last_seen_at: '2026-02-20T00:00:00.000Z',
          activity: 'idle',
        },
        { activation_id: 'unnamed', device_name: '', last_seen_at: unseen, activity: 'stale' },
      );
      expect(await client.activateLicense({ licenseKey })).toMatchObject({
        value: { replacement: { lookAlikes: ['before'] } },
      });
      expect(await replacementOf(client)).toEqual(['before', 'unseen', 'unnamed', 'twin in use']);
    });

    it('all other devices if none has the preview of the key', async () => {
      const { client, platform, server } = await startSignedIn();
      server.activations = 3;
      listDevices(
        platform,
        { activation_id: 'b', key_preview: 'B', last_seen_at: '2026-03-02T00:00:00.000Z' },
        { activation_id: 'a', key_preview: 'A', last_seen_at: '2026-03-01T00:00:00.000Z' },
      );
      expect(await replacementOf(client)).toEqual(['a', 'b']);
    });

    it('none if all were released in the meantime', async () => {
      const { client, platform, server } = await startSignedIn();
      server.activations = 3;
      listDevices(platform);
      expect(await replacementOf(client)).toEqual([]);
    });

    it('no devices while the list cannot be loaded, and the devices once it can', async () => {
      const { client, platform, server } = await startSignedIn();
      server.activations = 3;
      platform.http.on('GET /license/activations', { status: 429, json: {} });
      expect(await replacementOf(client)).toMatchObject({ kind: 'list-failed', failure: { code: 'RATE_LIMITED' } });
      expect(client.getState().server.deviceList).not.toBe('missing');
      await platform.clock.advance(31_000);
      listDevices(platform, { activation_id: 'a' });
      expect(await replacementOf(client)).toEqual(['a']);
    });

    it('no devices if the server does not list them, and does not ask it again', async () => {
      const { client, platform, server } = await startSignedIn();
      server.activations = 3;
      server.lists = false;
      expect(await replacementOf(client)).toEqual({ kind: 'not-listed' });
      const asked = platform.http.to('/license/activations').length;
      expect(await replacementOf(client)).toEqual({ kind: 'not-listed' });
      expect(platform.http.to('/license/activations')).toHaveLength(asked);
      expect(client.getState().server.deviceList).toBe('missing');
    });
  });

  it('is resolved by replacing a device', async () => {
    const { client, platform, server, on } = await startSignedIn();
    server.activations = 3;
    expect(await client.activateLicense({ licenseKey, replaces: 'other' })).toMatchObject({
      ok: true,
      value: { kind: 'activated' },
    });
    expect(platform.http.to('/license/activate')[0]?.body).toContain('"replaces":"other"');
    expect(on()).toHaveLength(6);
  });

  it('that is reached again after a replacement reloads the devices and reports it', async () => {
    const { client, platform, server } = await startSignedIn();
    server.activations = 3;
    await client.activateLicense({ licenseKey });
    platform.http.on('POST /license/activate', errorReply(409, 'MAX_ACTIVATIONS_REACHED'));
    platform.http.on('GET /license/activations', {
      json: { activations: [{ ...listedActivation, activation_id: 'phone', device_name: 'Phone' }] },
    });
    expect(await client.activateLicense({ licenseKey, replaces: 'other' })).toMatchObject({
      ok: true,
      value: {
        kind: 'device-limit-reached',
        maxActivations: 3,
        replacement: { kind: 'devices', devices: [{ activationId: 'phone', name: 'Phone' }] },
      },
    });
    expect(client.getState().devices.value).toMatchObject([{ activationId: 'phone', name: 'Phone' }]);
  });
});

describe('releasing a device', () => {
  it('of this machine ends the activation and keeps the key, and an empty key activates again', async () => {
    const { client, on } = await startActivated();
    expect(await client.releaseDevice({ activationId })).toMatchObject({ ok: true });
    expect(client.getState().license).toEqual({ kind: 'not-activated' });
    expect(client.getState().thisDevice).toMatchObject({
      activated: false,
      activationId: null,
      releasedElsewhere: false,
      license: { keyPreview: 'SVC-AB12...GH7X' },
    });
    expect(on()).toEqual([]);
    expect(await client.activateLicense({ licenseKey: '' })).toMatchObject({ ok: true, value: { kind: 'activated' } });
    expect(on()).toHaveLength(6);
  });

  it('elsewhere is noticed, and nothing is activated again automatically', async () => {
    const { client, platform, server, on } = await startActivated();
    server.activated = false;
    await platform.clock.advance(3_600_000);
    expect(client.getState().license).toEqual({ kind: 'not-activated' });
    expect(client.getState().thisDevice).toMatchObject({ activated: false, releasedElsewhere: true });
    expect(on()).toEqual([]);
    expect(platform.http.to('/license/activate')).toHaveLength(1);
    await client.activateLicense({ licenseKey: '' });
    expect(client.getState().thisDevice).toMatchObject({ activated: true, releasedElsewhere: false });
  });

  it('that was already released succeeds', async () => {
    const { client, platform } = await startActivated();
    platform.http.on('DELETE /license/activations/other', errorReply(404, 'NOT_FOUND'));
    expect(await client.releaseDevice({ activationId: 'other' })).toMatchObject({ ok: true });
  });

  it('escapes the id in the path', async () => {
    const { client, platform } = await startActivated();
    await client.releaseDevice({ activationId: '../../auth/logout?x' });
    expect(
      platform.http.requests.some(({ url }) => url.endsWith('/license/activations/..%2F..%2Fauth%2Flogout%3Fx')),
    ).toBe(true);
  });
});

describe('the list of devices', () => {
  it('keeps the known devices if it cannot be loaded', async () => {
    const { client, platform } = await startActivated();
    platform.http.on('GET /license/activations', { status: 200, json: { activations: 'none' } });
    expect(await client.listDevices()).toMatchObject({ ok: false });
    expect(client.getState().devices.value).toHaveLength(2);
    expect(client.getState().devices.failure).toMatchObject({ code: 'SERVER_RESPONSE_INVALID' });
  });

  it('does not mean offline if the server lacks it', async () => {
    const { client, platform } = await startSignedIn();
    platform.http.on('GET /license/activations', missing);
    expect(await client.listDevices()).toMatchObject({ ok: false, failure: { code: 'NOT_SUPPORTED_BY_SERVER' } });
    expect(client.getState()).toMatchObject({
      server: { deviceList: 'missing', reachability: { kind: 'online' } },
      devices: { value: null },
    });
  });
});

/** `METHOD /path` of each request, in order. */
function requestsSince(platform: FakePlatform, before: number): string[] {
  return platform.http.requests.slice(before).map(({ method, url }) => `${method} ${url.split('/api/v1')[1]}`);
}

/** The requests of an activation and of the 15 s that follow. */
async function requestsOfActivation({ client, platform }: TestClient, input: ActivationInput): Promise<string[]> {
  const before = platform.http.requests.length;
  expect(await client.activateLicense(input)).toMatchObject({ ok: true, value: { kind: 'activated' } });
  await platform.clock.advance(15_000);
  return requestsSince(platform, before);
}

describe('a whole activation', () => {
  it('takes four requests with the license that the status names', async () => {
    const testClient = await startSignedIn();
    testClient.client.setForeground(true);
    expect(await requestsOfActivation(testClient, { licenseKey })).toEqual([
      'POST /license/validate',
      'POST /license/activate',
      'POST /license/lease',
      'POST /heartbeat',
    ]);
  });

  it('takes four requests with a license that is new to the account, and knows all its features at once', async () => {
    const testClient = await startTestClient();
    const { client, server, platform, on } = testClient;
    Object.assign(server, { unassigned: true, subscription: null, features: seededPlans.free });
    await client.signIn({ email: 'ada@lab.org', password: 'right' });
    client.setForeground(true);
    await platform.clock.advance(5000);
    expect(client.getState().license).toEqual({ kind: 'no-license' });
    server.features = seededPlans.standard;
    expect(await requestsOfActivation(testClient, { licenseKey })).toEqual([
      'POST /license/activate',
      'GET /subscription/status',
      'POST /license/lease',
      'POST /heartbeat',
    ]);
    expect(client.getState().license).toMatchObject({ kind: 'works', plan: 'standard', until: null });
    expect(on()).toContain('session_recording');
    expect(client.getState().thisDevice).toMatchObject({
      activated: true,
      activationId,
      license: { keyPreview: 'SVC-AB12...GH7X', plan: 'standard', activations: 2, maxActivations: 3 },
    });
  });

  it('takes four requests with a license that was suspended, and knows all its features at once', async () => {
    const testClient = await startSignedIn();
    const { client, platform, on } = testClient;
    const license = { key_preview: 'SVC-AB12...GH7X', plan: 'standard', activations: 0, max_activations: 3 };
    const suspended = {
      has_subscription: false,
      license: { ...license, status: 'inactive' },
      features: seededPlans.free,
    };
    platform.http.on('GET /subscription/status', { json: suspended });
    await client.syncNow();
    expect(client.getState().license).toEqual({ kind: 'blocked', reason: 'suspended' });
    const active = { ...suspended, license: { ...license, status: 'active' }, features: seededPlans.standard };
    platform.http.on('GET /subscription/status', { json: active });
    expect(await requestsOfActivation(testClient, { licenseKey })).toHaveLength(4);
    expect(on()).toHaveLength(6);
  });

  it('reloads the status if it contradicts the validation', async () => {
    const testClient = await startSignedIn();
    const { server, platform, client, on } = testClient;
    server.features = seededPlans.free;
    await client.syncNow();
    server.features = seededPlans.standard;
    await client.activateLicense({ licenseKey });
    expect(platform.http.requests.at(-2)?.url).toContain('/subscription/status');
    expect(on()).toHaveLength(6);
  });

  it('validates another key first if the status has its features, whatever the validation of the stored key says', async () => {
    const testClient = await startActivated();
    const { client, platform, server } = testClient;
    const license = {
      key_preview: 'SVC-9K2M...Q8YH',
      plan: 'free',
      status: 'active',
      activations: 0,
      max_activations: 3,
    };
    platform.http.on('GET /subscription/status', {
      json: { has_subscription: false, license, features: seededPlans.free },
    });
    await client.syncNow();
    Object.assign(server, { key: replacingKey, activated: false, activations: 0, features: seededPlans.free });
    const requests = await requestsOfActivation(testClient, { licenseKey: replacingKey });
    expect(requests.slice(0, 2)).toEqual(['POST /license/validate', 'POST /license/activate']);
  });

  it('activates the stored key first if its last validation contradicts the status', async () => {
    const testClient = await startActivated();
    const { client, server } = testClient;
    server.licenseFeatures = seededPlans.free;
    await client.syncNow();
    const requests = await requestsOfActivation(testClient, { licenseKey: '' });
    expect(requests[0]).toBe('POST /license/activate');
  });

  it('takes four requests when a device is replaced', async () => {
    const testClient = await startSignedIn();
    testClient.server.activations = 3;
    const input = { licenseKey, replaces: 'other' };
    expect(await requestsOfActivation(testClient, input)).toHaveLength(4);
    expect(testClient.client.getState().devices.value).toMatchObject([{ activationId, isThisDevice: true }]);
  });

  it('shows this device and the new counts without requesting the list or the status again', async () => {
    const { client } = await startActivated();
    const { devices, session } = client.getState();
    expect(devices.value).toMatchObject([{ name: 'Old Laptop' }, { name: 'Studio Mac', isThisDevice: true }]);
    expect(session).toMatchObject({ account: { license: { activations: 2, maxActivations: 3 } } });
  });

  it('is followed by a regular sync that requests everything', async () => {
    const { client, platform } = await startSignedIn();
    client.setForeground(true);
    await client.activateLicense({ licenseKey });
    await platform.clock.advance(15_000);
    const before = platform.http.requests.length;
    await platform.clock.advance(60_000);
    expect(requestsSince(platform, before)).toEqual([
      'POST /heartbeat',
      'POST /license/validate',
      'GET /subscription/status',
      'GET /metrics/api-key/status',
    ]);
  });

  it('before the first sync leaves that sync complete', async () => {
    const { client, platform } = await (await startActivated()).restart();
    const before = platform.http.requests.length;
    await client.activateLicense({ licenseKey });
    await platform.clock.advance(5000);
    expect(requestsSince(platform, before)).toEqual([
      'POST /auth/refresh',
      'POST /license/validate',
      'POST /license/lease',
      'POST /heartbeat',
      'POST /license/validate',
      'GET /subscription/status',
      'GET /license/activations',
      'GET /metrics/api-key/status',
      'GET /features',
      'GET /about',
    ]);
  });

  it('sends its heartbeat within 10 s even if a sync was in progress', async () => {
    const { client, platform } = await startSignedIn();
    let respond = () => {};
    const status = { has_subscription: false };
    platform.http.on('GET /subscription/status', async () => {
      await new Promise<void>((resolve) => {
        respond = resolve;
      });
      return { json: status };
    });
    void client.syncNow();
    await platform.clock.advance(1);
    await client.activateLicense({ licenseKey });
    const before = platform.http.to('/heartbeat').length;
    platform.http.on('GET /subscription/status', { json: status });
    respond();
    await platform.clock.advance(9000);
    expect(platform.http.to('/heartbeat')).toHaveLength(before + 1);
  });

  it('with a key that the status never names ends with a validation', async () => {
    const { client, platform, server } = await startSignedIn();
    platform.http.on('GET /subscription/status', { json: { has_subscription: false, license: null } });
    await client.syncNow();
    expect(await client.activateLicense({ licenseKey })).toMatchObject({ ok: true });
    expect(server.activated).toBe(true);
    expect(client.getState().license).toMatchObject({ kind: 'works', plan: 'standard' });
  });

  it('takes four requests with a second license of the account that the status does not mention', async () => {
    const testClient = await startSignedIn();
    const { client, platform } = testClient;
    const other = {
      key_preview: 'SVC-ZZ99...YYYY',
      plan: 'standard',
      status: 'active',
      activations: 1,
      max_activations: 3,
    };
    platform.http.on('GET /subscription/status', {
      json: { has_subscription: false, license: other, features: seededPlans.standard },
    });
    await client.syncNow();
    expect(await requestsOfActivation(testClient, { licenseKey })).toEqual([
      'POST /license/validate',
      'POST /license/activate',
      'POST /license/lease',
      'POST /heartbeat',
    ]);
    expect(client.getState().license).toMatchObject({ kind: 'works', plan: 'standard' });
  });

  it('takes three requests with the stored key of a license that was reinstated', async () => {
    const testClient = await startActivated();
    const { client, server, platform } = testClient;
    server.invalidCode = 'LICENSE_INACTIVE';
    platform.http.on('GET /subscription/status', { json: { has_subscription: false, license: null } });
    await client.syncNow();
    expect(client.getState().license).toEqual({ kind: 'blocked', reason: 'suspended' });
    server.invalidCode = null;
    const license = {
      key_preview: 'SVC-AB12...GH7X',
      plan: 'standard',
      status: 'active',
      activations: 2,
      max_activations: 3,
    };
    platform.http.on('GET /subscription/status', {
      json: { has_subscription: false, license, features: seededPlans.standard },
    });
    expect(await requestsOfActivation(testClient, { licenseKey: '' })).toEqual([
      'POST /license/activate',
      'GET /subscription/status',
      'POST /heartbeat',
    ]);
    expect(client.getState().license).toMatchObject({ kind: 'works', plan: 'standard' });
  });
});

describe('a key that is new to the account', () => {
  async function startWithNewKey(): Promise<TestClient> {
    const testClient = await startTestClient();
    testClient.server.unassigned = true;
    await testClient.client.signIn({ email: 'ada@lab.org', password: 'right' });
    await testClient.platform.clock.advance(10);
    return testClient;
  }

  it.each(['LICENSE_REVOKED', 'LICENSE_EXPIRED', 'LICENSE_INACTIVE', 'SUBSCRIPTION_INACTIVE'])(
    'fails with the specific reason %s',
    async (code) => {
      const { client, server } = await startWithNewKey();
      server.invalidCode = code;
      expect(await client.activateLicense({ licenseKey })).toMatchObject({ ok: false, failure: { code } });
      expect(client.getState().thisDevice).toMatchObject({ activated: false, license: null });
    },
  );

  it('stays active if the server does not activate the same device twice', async () => {
    const { client, platform, server } = await startWithNewKey();
    Object.assign(server, { activated: true, unassigned: false });
    platform.http.on('POST /license/activate', errorReply(409, 'MAX_ACTIVATIONS_REACHED'));
    expect(await client.activateLicense({ licenseKey })).toMatchObject({ ok: true, value: { kind: 'activated' } });
    expect(client.getState().license.kind).toBe('works');
  });

  it('is not validated after an activation that proves nothing', async () => {
    const { client, platform } = await startWithNewKey();
    platform.http.on('POST /license/activate', { status: 503, json: {} });
    const before = platform.http.to('/license/validate').length;
    const result = client.activateLicense({ licenseKey });
    await platform.clock.advance(5000);
    expect(await result).toMatchObject({ failure: { code: 'SERVER_UNREACHABLE' } });
    expect(platform.http.to('/license/validate')).toHaveLength(before);
  });

  it('whose reason cannot be asked for fails with the first one', async () => {
    const { client, platform } = await startWithNewKey();
    platform.http.on('POST /license/activate', errorReply(403, 'LICENSE_INACTIVE'));
    platform.http.on('POST /license/validate', { status: 503, json: {} });
    const result = client.activateLicense({ licenseKey });
    await platform.clock.advance(5000);
    expect(await result).toMatchObject({ failure: { code: 'LICENSE_INACTIVE' } });
  });

  it('offers the devices at the device limit without a number if it cannot be asked for', async () => {
    const { client, platform, server } = await startWithNewKey();
    server.activations = 3;
    platform.http.on('POST /license/validate', { status: 503, json: {} });
    const result = client.activateLicense({ licenseKey });
    await platform.clock.advance(5000);
    expect(await result).toMatchObject({
      value: { kind: 'device-limit-reached', maxActivations: null, replacement: { devices: [{ name: 'Old Laptop' }] } },
    });
  });

  it('of another license that is already active on this device takes its activation from the list', async () => {
    const { client, platform, server } = await startActivated();
    server.key = replacingKey;
    const device_id = client.getState().thisDevice?.deviceId ?? '';
    platform.http.on('GET /license/activations', {
      json: {
        activations: [{ ...listedActivation, activation_id: 'second', device_id, key_preview: 'SVC-9K2M...Q8YH' }],
      },
    });
    expect(await client.activateLicense({ licenseKey: replacingKey })).toMatchObject({ value: { kind: 'activated' } });
    expect(client.getState().thisDevice).toMatchObject({ activated: true, activationId: 'second' });
  });

  it('that is already active does not ask a server without a list of devices', async () => {
    const { client, platform, server } = await startSignedIn();
    Object.assign(server, { lists: false, activated: true });
    await client.listDevices();
    const before = platform.http.to('/license/activations').length;
    expect(await client.activateLicense({ licenseKey })).toMatchObject({ value: { kind: 'activated' } });
    expect(platform.http.to('/license/activations')).toHaveLength(before);
  });

  it('offers the devices at the device limit', async () => {
    const { client, server } = await startWithNewKey();
    server.activations = 3;
    expect(await client.activateLicense({ licenseKey })).toMatchObject({
      ok: true,
      value: { kind: 'device-limit-reached', maxActivations: 3, replacement: { devices: [{ name: 'Old Laptop' }] } },
    });
  });
});

describe('what is stored after an activation and a release', () => {
  const storedFacts = ({ platform }: TestClient) =>
    JSON.parse(platform.secrets.values.get(licenseDocumentName(platform)) ?? '{}').facts;

  it('is what the server has sent, with the local change of this device beside it', async () => {
    const testClient = await startActivated();
    expect(storedFacts(testClient)).toMatchObject({
      activationId,
      localChange: { kind: 'activated', activations: 2, maxActivations: 3 },
      validation: { response: { already_activated_on_device: false, activations: 1 } },
    });
    await testClient.client.syncNow();
    expect(storedFacts(testClient)).toMatchObject({
      localChange: null,
      validation: { response: { already_activated_on_device: true, activations: 2 } },
    });
    await testClient.client.releaseDevice({ activationId });
    expect(storedFacts(testClient)).toMatchObject({
      activationId: null,
      localChange: { kind: 'released' },
      validation: { response: { already_activated_on_device: true } },
    });
  });

  it.each([
    [true, { kind: 'works', plan: 'standard', until: '2026-12-24T00:00:00.000Z' }],
    [false, { kind: 'not-activated' }],
  ])('can be read in its first version too (activated: %s)', async (activated, license) => {
    const testClient = await startActivated();
    if (!activated) testClient.server.activated = false;
    await testClient.client.syncNow();
    const { values } = testClient.platform.secrets;
    const name = licenseDocumentName(testClient.platform);
    const { version, binding, facts } = JSON.parse(values.get(name) ?? '{}');
    expect(version).toBe(3);
    const { localChange: _, pendingApiKey: __, time, validation, status, ...common } = facts;
    const rest = { ...common, highestWallMs: time.trustedMs };
    const toVersion1 = ({ response: answer, at }: { response: unknown; at: string }) => ({ answer, at });
    const version1 = { ...rest, validation: toVersion1(validation), status: toVersion1(status) };
    const document = JSON.stringify({ version: 1, binding, facts: version1 });
    values.delete(name);
    values.set('license', document);
    testClient.platform.http.cut({ fails: 'unreachable' });
    const { client } = await testClient.restart();
    expect(client.getState().license).toMatchObject(license);
    expect(client.getState().thisDevice).toMatchObject({ license: { keyPreview: 'SVC-AB12...GH7X' } });
  });
});
