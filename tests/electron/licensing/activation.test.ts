/** Activation and its limit, the devices of the account, and their release. */
import { describe, expect, it } from 'vitest';
import { activationId, licenseKey, missing, refusal } from './scripted-server.ts';
import { startActivatedDesk, startDesk, startSignedInDesk } from './start-client.ts';

describe('activating this device', () => {
  it('wants somebody signed in', async () => {
    const { client } = await startDesk();
    expect(await client.activateLicense({ licenseKey })).toMatchObject({
      ok: false,
      failure: { code: 'NOT_SIGNED_IN' },
    });
  });

  it.each(['LICENSE_NOT_FOUND', 'LICENSE_REVOKED', 'LICENSE_EXPIRED', 'LICENSE_INACTIVE', 'SUBSCRIPTION_INACTIVE'])(
    'tells %s and leaves the device as it was',
    async (code) => {
      const { client, platform, server } = await startSignedInDesk();
      server.verdict = code;
      expect(await client.activateLicense({ licenseKey })).toMatchObject({ ok: false, failure: { code } });
      expect(client.getState().license).toEqual({ kind: 'not-activated' });
      expect(platform.http.to('/license/activate')).toHaveLength(0);
    },
  );

  it('with another key that is refused keeps the one that works', async () => {
    const { client, on } = await startActivatedDesk();
    expect(await client.activateLicense({ licenseKey: 'SVC-0000-0000-0000-0000' })).toMatchObject({ ok: false });
    expect(on()).toHaveLength(6);
  });

  it('sends a key of another server as it was typed', async () => {
    const { client, platform } = await startSignedInDesk();
    await client.activateLicense({ licenseKey: ' ACME-oil1-abcd-EFGH-0000 ' });
    expect(platform.http.to('/license/validate')[0]?.body).toContain('"ACME-oil1-abcd-EFGH-0000"');
  });

  it('sends the name and the platform of the device, cut to what the interface takes', async () => {
    const { client, platform } = await startSignedInDesk();
    Object.assign(platform.machine, { deviceName: '\u{1F600}'.repeat(300) });
    await client.activateLicense({ licenseKey });
    const body = JSON.parse(platform.http.to('/license/activate')[0]?.body ?? '{}');
    expect([...body.device_name]).toHaveLength(200);
    expect(body.platform).toBe('linux x64');
    expect(body).not.toHaveProperty('replaces');
  });

  it('asks for nothing where the device is active already', async () => {
    const { client, platform, server } = await startSignedInDesk();
    server.activated = true;
    expect(await client.activateLicense({ licenseKey })).toMatchObject({ ok: true, value: { kind: 'activated' } });
    expect(platform.http.to('/license/activate')).toHaveLength(0);
    expect(client.getState().thisDevice).toMatchObject({ activated: true, activationId });
  });

  it('takes back at once the warning that it was not activated', async () => {
    const { client, server } = await startSignedInDesk();
    server.warning = 'This device is not activated on your license.';
    await client.syncNow();
    expect(client.getState().warnings).toHaveLength(1);
    await client.activateLicense({ licenseKey });
    expect(client.getState().warnings).toEqual([]);
  });

  it('whose answer was lost is repeated, and counts once', async () => {
    const { client, platform, server } = await startSignedInDesk();
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

  it('is not undone by a check that was asked before', async () => {
    const { client, platform, server, on } = await startActivatedDesk();
    let answerOld = () => {};
    const old = { valid: true, plan: 'standard', status: 'active', activations: 1, max_activations: 3 };
    server.activated = false;
    await client.syncNow();
    platform.http.on('POST /license/validate', async () => {
      await new Promise<void>((resolve) => {
        answerOld = resolve;
      });
      return { json: { ...old, can_activate: true, already_activated_on_device: false, features: server.features } };
    });
    const checking = client.syncNow();
    await platform.clock.advance(1);
    platform.http.on('POST /license/validate', {
      json: { ...old, can_activate: true, already_activated_on_device: false, features: server.features },
    });
    await client.activateLicense({ licenseKey });
    answerOld();
    await checking;
    expect(on()).toHaveLength(6);
  });
});

describe('the device limit', () => {
  it('is told with the devices that could make room', async () => {
    const { client, server } = await startSignedInDesk();
    server.activations = 3;
    expect(await client.activateLicense({ licenseKey })).toEqual({
      ok: true,
      value: { kind: 'device-limit-reached', maxActivations: 3, canReplace: true },
    });
    expect(client.getState().devices.value).toMatchObject([{ name: 'Old Laptop', isThisDevice: false }]);
    expect(client.getState().license.kind).toBe('not-activated');
  });

  it('is passed by replacing one', async () => {
    const { client, platform, server, on } = await startSignedInDesk();
    server.activations = 3;
    expect(await client.activateLicense({ licenseKey, replaces: 'other' })).toMatchObject({
      ok: true,
      value: { kind: 'activated' },
    });
    expect(platform.http.to('/license/activate')[0]?.body).toContain('"replaces":"other"');
    expect(on()).toHaveLength(6);
  });

  it('offers no replacement where the server lists no devices', async () => {
    const { client, server } = await startSignedInDesk();
    server.activations = 3;
    server.lists = false;
    await client.listDevices();
    expect(client.getState().server.deviceList).toBe('missing');
    expect(await client.activateLicense({ licenseKey })).toMatchObject({
      ok: true,
      value: { kind: 'device-limit-reached', canReplace: false },
    });
  });
});

describe('releasing a device', () => {
  it('that is this one ends the activation, keeps the key, and an empty key activates again', async () => {
    const { client, on } = await startActivatedDesk();
    expect(await client.releaseDevice({ activationId })).toMatchObject({ ok: true });
    expect(client.getState().license).toEqual({ kind: 'not-activated' });
    expect(client.getState().thisDevice).toMatchObject({
      activated: false,
      activationId: null,
      license: { keyPreview: 'SVC-AB12...GH7X' },
    });
    expect(on()).toEqual([]);
    expect(await client.activateLicense({ licenseKey: '' })).toMatchObject({ ok: true, value: { kind: 'activated' } });
    expect(on()).toHaveLength(6);
  });

  it('done elsewhere is noticed, and nothing is activated again by itself', async () => {
    const { client, platform, server, on } = await startActivatedDesk();
    server.activated = false;
    await platform.clock.advance(3_600_000);
    expect(client.getState().license).toEqual({ kind: 'not-activated' });
    expect(on()).toEqual([]);
    expect(platform.http.to('/license/activate')).toHaveLength(1);
  });

  it('that is gone already counts as done', async () => {
    const { client, platform } = await startActivatedDesk();
    platform.http.on('DELETE /license/activations/other', refusal(404, 'NOT_FOUND'));
    expect(await client.releaseDevice({ activationId: 'other' })).toMatchObject({ ok: true });
  });

  it('escapes what is put into the path', async () => {
    const { client, platform } = await startActivatedDesk();
    await client.releaseDevice({ activationId: '../../auth/logout?x' });
    expect(
      platform.http.requests.some(({ url }) => url.endsWith('/license/activations/..%2F..%2Fauth%2Flogout%3Fx')),
    ).toBe(true);
  });
});

describe('the list of devices', () => {
  it('that cannot be loaded keeps what was known', async () => {
    const { client, platform } = await startActivatedDesk();
    platform.http.on('GET /license/activations', { status: 200, json: { activations: 'none' } });
    expect(await client.listDevices()).toMatchObject({ ok: false });
    expect(client.getState().devices.value).toHaveLength(2);
    expect(client.getState().devices.failure).toMatchObject({ code: 'SERVER_RESPONSE_INVALID' });
  });

  it('that the server lacks is no reason to be offline', async () => {
    const { client, platform } = await startSignedInDesk();
    platform.http.on('GET /license/activations', missing);
    expect(await client.listDevices()).toMatchObject({ ok: false, failure: { code: 'NOT_SUPPORTED_BY_SERVER' } });
    expect(client.getState()).toMatchObject({
      server: { deviceList: 'missing', reachability: { kind: 'online' } },
      devices: { value: null },
    });
  });
});
