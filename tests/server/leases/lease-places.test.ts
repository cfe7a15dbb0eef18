/**
 * A released device that was given a lease keeps its place until the lease ends, since it may work offline until then.
 */
import { describe, expect, it } from 'vitest';
import { formatLicenses } from '../../../server/admin/license-commands.ts';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { day, hour } from '../../harness/fake-clock.ts';
import { envelope, timestamp } from '../../harness/response-shapes.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { stringIn } from '../../harness/test-client.ts';
import type { Json } from '../../harness/test-server.ts';
import { activate as activateOn, issueLicense, newDeviceId, signUp } from '../../harness/users.ts';

const server = sharedApp({ LATCHKEY_ACCESS_TOKEN_TTL: '900d' });

async function license(maxActivations: number, ...words: string[]) {
  const user = await signUp(server);
  const { key, id } = await issueLicense(
    server,
    ...['--email', user.email, '--max-activations', String(maxActivations), ...words],
  );
  const call = (name: 'validateLicense' | 'activateLicense', deviceId: string, more: object = {}) =>
    server.call(name, { token: user.token, body: { license_key: key, device_id: deviceId, ...more } });
  const lease = async (deviceId: string) => {
    const response = await server.call('lease', { token: user.token, body: { device_id: deviceId } });
    expect(response.status, response.text).toBe(200);
    return Date.parse(stringIn(response.body, 'expires_at'));
  };
  return {
    user,
    key,
    id,
    lease,
    activate: (deviceId?: string) => activateOn(server, user, key, deviceId),
    replace: (replaces: string, deviceId = newDeviceId()) => call('activateLicense', deviceId, { replaces }),
    validate: async (deviceId: string) => (await call('validateLicense', deviceId)).body,
    release: async (activationId: string) =>
      (await server.call('releaseActivation', { token: user.token, at: activationId })).body,
    status: async () => (await server.call('subscriptionStatus', { token: user.token })).body.license as Json,
    devices: async () => (await server.call('listActivations', { token: user.token })).body,
    /** Activates a device, gives it a lease and releases it. */
    async leaveLeased(deviceId?: string) {
      const device = await activateOn(server, user, key, deviceId);
      expect(device.response.status, device.response.text).toBe(200);
      const endMs = await lease(device.deviceId);
      await server.call('releaseActivation', { token: user.token, at: device.activationId });
      return { ...device, endMs };
    },
  };
}

describe('a license for one device', () => {
  it('gives leases to one device at a time, however often it is activated, leased, released and activated elsewhere', async () => {
    const { activate, leaveLeased, lease } = await license(1);
    const { endMs } = await leaveLeased();
    for (let attempt = 0; attempt < 3; attempt++) {
      const { response } = await activate();
      expect(response.status).toBe(409);
      expect(response.body).toStrictEqual(envelope('MAX_ACTIVATIONS_REACHED'));
      expect(response.headers.get('retry-after')).toBe(String(Math.ceil((endMs - server.now()) / 1000)));
      server.clock.advance(day);
    }
    server.clock.advance(endMs - server.now() - 1);
    expect((await activate()).response.status).toBe(409);
    server.clock.advance(1);
    const next = await activate();
    expect(next.response.status).toBe(200);
    await lease(next.deviceId);
  });

  it('counts as full, and validation says that no other device can be activated', async () => {
    const { validate, leaveLeased, status, devices } = await license(1);
    const { deviceId, activationId, endMs } = await leaveLeased();
    const full = { activations: 1, max_activations: 1 };
    expect(await status()).toMatchObject(full);
    const other = newDeviceId();
    expect(await validate(other)).toMatchObject({ ...full, can_activate: false, already_activated_on_device: false });
    expect(await validate(deviceId)).toMatchObject({ ...full, can_activate: true, already_activated_on_device: false });
    const { activations, released_devices } = await devices();
    expect(activations).toStrictEqual([]);
    expect(released_devices).toStrictEqual([
      {
        activation_id: activationId,
        key_preview: expect.any(String),
        device_id: deviceId,
        device_name: 'Office computer',
        platform: 'linux',
        released_at: timestamp,
        place_free_at: new Date(endMs).toISOString(),
      },
    ]);
    server.clock.advance(endMs - server.now());
    expect(await status()).toMatchObject({ activations: 0 });
    expect(await validate(other)).toMatchObject({ activations: 0, can_activate: true });
    expect(await devices()).toStrictEqual({ activations: [] });
  });

  it('takes the device back immediately, and its place stays reserved until its last lease ends', async () => {
    const { activate, leaveLeased, release } = await license(1);
    const { deviceId, endMs } = await leaveLeased();
    server.clock.advance(2 * day);
    const back = await activate(deviceId);
    expect(back.response.body).toMatchObject({ success: true, activations: 1 });
    expect(await release(back.activationId)).toMatchObject({ activations: 1, max_activations: 1 });
    expect((await activate()).response.headers.get('retry-after')).toBe(
      String(Math.ceil((endMs - server.now()) / 1000)),
    );
    // The device returns within the day, in which the only trace of the earlier activation is its lease.
    const again = await activate(deviceId);
    server.clock.advance(hour);
    await release(again.activationId);
    expect((await activate()).response.status).toBe(409);
  });

  it('lets a device that never had a lease be released and replaced without waiting', async () => {
    const { activate, release, replace } = await license(1);
    const first = await activate();
    expect(await release(first.activationId)).toMatchObject({ activations: 0 });
    const second = await activate();
    const refused = await activate();
    expect(refused.response.status).toBe(409);
    expect(refused.response.headers.get('retry-after')).toBeNull();
    expect((await replace(second.activationId)).body).toMatchObject({ success: true, activations: 1 });
  });

  it('does not let a device with a lease be replaced before the lease ends, and leaves it active', async () => {
    const { activate, lease, replace, devices } = await license(1);
    const { deviceId, activationId } = await activate();
    const endMs = await lease(deviceId);
    const refused = await replace(activationId);
    expect(refused.status).toBe(409);
    expect(refused.body).toStrictEqual(envelope('MAX_ACTIVATIONS_REACHED'));
    expect(refused.headers.get('retry-after')).toBe(String(Math.ceil((endMs - server.now()) / 1000)));
    expect((await devices()).activations).toMatchObject([{ activation_id: activationId }]);
    server.clock.advance(endMs - server.now());
    expect((await replace(activationId)).body).toMatchObject({ success: true, activations: 1 });
  });

  it('has its place freed immediately by staff, whether the device is active or was released before', async () => {
    const { user, id, activate, leaveLeased, lease, status } = await license(1);
    const { deviceId } = await leaveLeased();
    const listed = (await server.admin('license', 'list')) as unknown as Json[];
    const shown = formatLicenses(await server.services.licenseAdmin.list(user.id));
    expect(shown).toMatch(new RegExp(`place free at +device id\\n.*${deviceId}$`));
    expect(listed.find((each) => each.id === id)).toMatchObject({
      activations: 1,
      devices: [],
      released_devices: [{ device_id: deviceId }],
    });
    const freed = await server.admin('license', 'release', id, deviceId);
    expect(freed).toMatchObject({ activations: 0, devices: [] });
    expect(freed).not.toHaveProperty('released_devices');
    const second = await activate();
    expect(second.response.status).toBe(200);
    await lease(second.deviceId);
    expect(await server.admin('license', 'release', id, second.deviceId)).toMatchObject({ activations: 0 });
    expect(await status()).toMatchObject({ activations: 0 });
    expect((await activate()).response.status).toBe(200);
    await expect(server.admin('license', 'release', id, deviceId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('also reserves the place of a device that was never online', async () => {
    const { user, key, activate, release, devices } = await license(1);
    const request = { license_key: key, device_id: newDeviceId(), device_name: 'Bench', platform: '' };
    await server.services.leases.issueOffline(request, byCommand);
    const [listed] = (await devices()).activations as Json[];
    await release(stringIn(listed ?? {}, 'activation_id'));
    expect((await activate()).response.body).toStrictEqual(envelope('MAX_ACTIVATIONS_REACHED'));
    // A place of one license does not affect another one.
    const other = await issueLicense(server, '--email', user.email, '--max-activations', '1');
    expect((await activateOn(server, user, other.key)).response.status).toBe(200);
  });
});

describe('a license for several devices', () => {
  it('says that a device without a lease can be replaced now, and otherwise when a place is free', async () => {
    const { activate, leaveLeased, lease } = await license(2);
    const { endMs } = await leaveLeased();
    const free = await activate();
    const refused = await activate();
    expect(refused.response.status).toBe(409);
    expect(refused.response.headers.get('retry-after')).toBeNull();
    server.clock.advance(hour);
    await lease(free.deviceId);
    const { response } = await activate();
    expect(response.headers.get('retry-after')).toBe(String(Math.ceil((endMs - server.now()) / 1000)));
  });

  it('reserves the place for longer than released devices are stored', async () => {
    const { activate, leaveLeased } = await license(1, '--plan', 'advanced');
    await server.admin('plan', 'set', 'advanced', '--lease-days', '90');
    const { endMs } = await leaveLeased();
    await server.admin('plan', 'set', 'advanced', '--lease-days', 'default');
    server.clock.advance(80 * day);
    const { response } = await activate();
    expect(response.headers.get('retry-after')).toBe(String(Math.ceil((endMs - server.now()) / 1000)));
  });
});
