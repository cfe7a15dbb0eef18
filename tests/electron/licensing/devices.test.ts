/** The list of devices, and what a release changes here. */
import { describe, expect, it } from 'vitest';
import { createFakePlatform, type Reply, settle } from '../fake-platform.ts';
import { activationId, errorReply, licenseKey, ScriptedServer } from './scripted-server.ts';
import { startActivated, startSignedIn, startTestClient, type TestClient } from './start-client.ts';

const at = '2026-03-01T00:00:00.000Z';
const bench = {
  activation_id: 'bench',
  device_id: 'HW-00000000-11111111-22222222-33333333',
  device_name: 'Bench',
  key_preview: 'SVC-AB12...GH7X',
  platform: 'linux x64',
  activated_at: at,
  last_seen_at: at,
  activity: 'active',
};
const ownOf = ({ client }: TestClient) => ({
  ...bench,
  activation_id: activationId,
  device_id: client.getState().thisDevice?.deviceId ?? '',
  device_name: 'Studio Mac',
});
const released = { json: { success: true, activations: 0, max_activations: 3 } };
const list = (...activations: readonly object[]): Reply => ({ json: { activations } });
const names = ({ client }: TestClient) => client.getState().devices.value?.map(({ name }) => name);
const releases = ({ client }: TestClient) =>
  client.getState().activity.flatMap(({ kind, detail }) => (kind === 'device-released' ? [detail] : []));

async function startListed(): Promise<TestClient> {
  const test = await startActivated();
  test.platform.http.on('GET /license/activations', list(bench, ownOf(test)));
  await test.client.listDevices();
  return test;
}

/** The same on a server that lists no devices. */
async function startUnlisted(): Promise<TestClient> {
  const test = await startTestClient();
  test.server.lists = false;
  await test.client.signIn({ email: 'ada@lab.org', password: 'right' });
  await test.client.activateLicense({ licenseKey });
  await test.sync();
  return test;
}

describe('a release', () => {
  it('of another device is recorded with its name, and leaves this one activated', async () => {
    const test = await startListed();
    test.platform.http.on('DELETE /license/activations/bench', released);
    test.platform.http.on('GET /license/activations', list(ownOf(test)));
    expect(await test.client.releaseDevice({ activationId: 'bench' })).toEqual({ ok: true, value: null });
    expect(releases(test)).toEqual(['Bench']);
    expect(names(test)).toEqual(['Studio Mac']);
    expect(test.client.getState()).toMatchObject({ license: { kind: 'works' }, thisDevice: { activated: true } });
  });

  it.each([true, false])('of this device ends its license at once (listed: %s)', async (isListed) => {
    const test = isListed ? await startListed() : await startUnlisted();
    expect(await test.client.releaseDevice({ activationId })).toEqual({ ok: true, value: null });
    expect(releases(test)).toEqual([isListed ? 'Studio Mac' : null]);
    expect(test.client.getState().thisDevice).toMatchObject({ activated: false });
  });

  it('of this device with another license leaves the one in use activated', async () => {
    const test = await startListed();
    const second = { ...ownOf(test), activation_id: 'second', key_preview: 'SVC-7777...7777' };
    test.platform.http.on('GET /license/activations', list(ownOf(test), second));
    await test.client.listDevices();
    test.platform.http.on('DELETE /license/activations/second', released);
    expect(await test.client.releaseDevice({ activationId: 'second' })).toEqual({ ok: true, value: null });
    expect(test.client.getState()).toMatchObject({ license: { kind: 'works' }, thisDevice: { activated: true } });
  });

  it.each(['own', 'other'])('counts for this device by the list if its activation is not known: %s', async (which) => {
    const test = await startSignedIn();
    test.server.activated = true;
    const own = { ...ownOf(test), activation_id: 'own', key_preview: 'SVC-0000...0000' };
    const other = { ...bench, activation_id: 'other' };
    test.platform.http.on('GET /license/activations', list(own, other));
    await test.client.activateLicense({ licenseKey });
    test.platform.http.on(`DELETE /license/activations/${which}`, released);
    test.platform.http.on('GET /license/activations', list());
    await test.client.releaseDevice({ activationId: which });
    expect(test.client.getState().thisDevice).toMatchObject({ activated: which === 'other' });
  });

  it('of another device leaves this one activated if neither its activation nor a list is known', async () => {
    const test = await startTestClient();
    Object.assign(test.server, { lists: false, activated: true });
    await test.client.signIn({ email: 'ada@lab.org', password: 'right' });
    await test.sync();
    expect(await test.client.activateLicense({ licenseKey })).toMatchObject({ ok: true });
    expect(test.client.getState()).toMatchObject({ thisDevice: { activationId: null }, devices: { value: null } });
    test.platform.http.on('DELETE /license/activations/bench', released);
    expect(await test.client.releaseDevice({ activationId: 'bench' })).toEqual({ ok: true, value: null });
    expect(test.client.getState().thisDevice).toMatchObject({ activated: true });
  });

  it('that the server refuses changes nothing', async () => {
    const test = await startListed();
    test.platform.http.on(`DELETE /license/activations/${activationId}`, errorReply(403, 'FORBIDDEN'));
    const asked = test.platform.http.to('/license/activations').length;
    const done = await test.client.releaseDevice({ activationId });
    expect(done).toMatchObject({ ok: false, failure: { code: 'FORBIDDEN' } });
    expect(releases(test)).toEqual([]);
    expect(test.platform.http.to('/license/activations')).toHaveLength(asked);
    expect(test.client.getState().thisDevice).toMatchObject({ activated: true });
  });
});

describe('the list of devices', () => {
  it('comes with the number of activations, of this device’s license and of the account, also after a release', async () => {
    const { client, server } = await startActivated();
    await client.syncNow();
    const counts = () => {
      const { session, thisDevice } = client.getState();
      const account = session.kind === 'signed-in' ? session.account : null;
      return [thisDevice?.license?.activations, account?.license?.activations];
    };
    expect(counts()).toEqual([2, 2]);
    // Another device is activated.
    server.activations = 3;
    await client.listDevices();
    expect(counts()).toEqual([3, 3]);
    const other = client.getState().devices.value?.find((device) => !device.isThisDevice);
    server.activations = 2;
    await client.releaseDevice({ activationId: other?.activationId ?? '' });
    expect(counts()).toEqual([2, 2]);
  });

  it('shows that it is loading, and keeps its devices if that fails', async () => {
    const test = await startListed();
    const respond = test.platform.http.hold('GET /license/activations');
    const done = test.client.listDevices();
    await settle();
    expect(test.client.getState().devices).toMatchObject({ loading: true, failure: null });
    respond(errorReply(403, 'FORBIDDEN'));
    expect(await done).toMatchObject({ ok: false, failure: { code: 'FORBIDDEN' } });
    expect(test.client.getState().devices).toMatchObject({ loading: false, failure: { code: 'FORBIDDEN' } });
    expect(names(test)).toEqual(['Bench', 'Studio Mac']);
  });

  it.each([true, false])(
    'has this device once, even if it was activated while the list was loading (listed: %s)',
    async (isListed) => {
      const test = await startSignedIn();
      const respond = test.platform.http.hold('GET /license/activations');
      const done = test.client.listDevices();
      await settle();
      await test.client.activateLicense({ licenseKey });
      respond(isListed ? list(bench, ownOf(test)) : list(bench));
      await done;
      expect(names(test)).toEqual(['Bench', 'Studio Mac']);
      test.platform.http.on('GET /license/activations', list(bench));
      await test.client.listDevices();
      expect(names(test)).toEqual(['Bench']);
    },
  );

  it('is asked for again at another server', async () => {
    const test = await startListed();
    test.server.lists = false;
    test.platform.http.on('GET /license/activations', errorReply(404, 'NOT_FOUND'));
    await test.client.listDevices();
    expect(test.client.getState().server.deviceList).toBe('missing');
    await test.client.setServerAddress({ address: 'http://127.0.0.1:8471' });
    expect(test.client.getState().server.deviceList).toBe('unknown');
  });
});

describe('the devices that this one could be', () => {
  async function lookAlikesOf(deviceName: string, ...listed: readonly object[]) {
    const platform = createFakePlatform({ deviceName });
    const server = new ScriptedServer(platform);
    server.activations = server.maxActivations;
    const { client } = await startTestClient(platform, server);
    await client.signIn({ email: 'ada@lab.org', password: 'right' });
    await platform.clock.advance(10);
    platform.http.on('GET /license/activations', list(...listed));
    const result = await client.activateLicense({ licenseKey });
    return result.ok && result.value.kind === 'device-limit-reached' && 'lookAlikes' in result.value.replacement
      ? result.value.replacement.lookAlikes
      : null;
  }

  it('have its name, whatever its case and the spaces around it, and are not in use', async () => {
    const idle = { ...bench, activation_id: 'idle', device_name: ' STUDIO mac ', activity: 'idle' };
    const active = { ...idle, activation_id: 'active', activity: 'active' };
    expect(await lookAlikesOf('Studio Mac', bench, idle, active)).toEqual(['idle']);
  });

  it('are none for a device without a name', async () => {
    expect(await lookAlikesOf('', { ...bench, device_name: '', activity: 'idle' })).toEqual([]);
  });
});
