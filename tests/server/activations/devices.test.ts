/** The devices of an account: listed, released by the user, and never released automatically. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { day } from '../../harness/fake-clock.ts';
import { envelope, uuid } from '../../harness/response-shapes.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { activate, isoFromNow, issueLicense, newDeviceId, signUp, type User } from '../../harness/users.ts';

const server = sharedApp({ LATCHKEY_ACCESS_TOKEN_TTL: '90d' });

async function devicesOf({ token }: User) {
  const response = await server.call('listActivations', { token });
  expect(response.status).toBe(200);
  expect(Object.keys(response.body)).toStrictEqual(['activations']);
  return response.body.activations as Record<string, unknown>[];
}

function release({ token }: User, activationId: string) {
  return server.call('releaseActivation', { token, at: activationId });
}

async function ownerOfALicense(...parameters: string[]) {
  const owner = await signUp(server);
  return { owner, ...(await issueLicense(server, '--email', owner.email, ...parameters)) };
}

describe('the list of devices', () => {
  it('is empty for an account without activations', async () => {
    expect(await devicesOf(await signUp(server))).toStrictEqual([]);
  });

  it('has exactly the documented fields', async () => {
    const { owner, key } = await ownerOfALicense();
    const { deviceId, activationId } = await activate(server, owner, key);
    const now = isoFromNow(server, 0);
    expect(await devicesOf(owner)).toStrictEqual([
      {
        activation_id: activationId,
        key_preview: `${key.slice(0, 8)}...${key.slice(-4)}`,
        device_id: deviceId,
        device_name: 'Office computer',
        platform: 'linux',
        activated_at: now,
        last_seen_at: now,
        activity: 'active',
      },
    ]);
  });

  it('has the devices of every license of the account, least recently seen first', async () => {
    const { owner, key } = await ownerOfALicense();
    const other = await issueLicense(server, '--email', owner.email);
    const first = await activate(server, owner, key);
    server.clock.advance(1000);
    const second = await activate(server, owner, other.key);
    server.clock.advance(1000);
    const third = await activate(server, owner, key);
    server.clock.advance(1000);
    // Seen again: the first device becomes the last in the list.
    await server.call('heartbeat', { token: owner.token, body: { device_id: first.deviceId } });
    const devices = await devicesOf(owner);
    expect(devices.map((device) => device.device_id)).toStrictEqual([second.deviceId, third.deviceId, first.deviceId]);
    expect(devices[0]).toMatchObject({ key_preview: other.license.key_preview });
    expect(devices[2]).toMatchObject({ activated_at: isoFromNow(server, -3000), last_seen_at: isoFromNow(server, 0) });
  });

  it('keeps silent devices, which become idle after a week and stale after a month', async () => {
    const { owner, key } = await ownerOfALicense();
    await activate(server, owner, key);
    server.clock.advance(7 * day);
    expect(await devicesOf(owner)).toMatchObject([{ activity: 'idle' }]);
    server.clock.advance(23 * day);
    expect(await devicesOf(owner)).toMatchObject([{ activity: 'stale' }]);
  });

  it('shows no devices of other accounts', async () => {
    const { owner, key } = await ownerOfALicense();
    await activate(server, owner, key);
    expect(await devicesOf(await signUp(server))).toStrictEqual([]);
  });

  it('never contains a whole license key', async () => {
    const { owner, key } = await ownerOfALicense();
    await activate(server, owner, key);
    expect((await server.call('listActivations', { token: owner.token })).text).not.toContain(key);
  });
});

describe('a release', () => {
  it('responds with 200 and only the activation counts of the license', async () => {
    const { owner, key } = await ownerOfALicense('--max-activations', '4');
    const { activationId } = await activate(server, owner, key);
    await activate(server, owner, key);
    const { status, body } = await release(owner, activationId);
    expect(status).toBe(200);
    expect(body).toStrictEqual({ success: true, activations: 1, max_activations: 4 });
  });

  it('makes room for another device', async () => {
    const { owner, key } = await ownerOfALicense('--max-activations', '1');
    const { activationId } = await activate(server, owner, key);
    await release(owner, activationId);
    expect((await activate(server, owner, key)).response.body).toMatchObject({ success: true, activations: 1 });
  });

  it('allows the same device to return, with a new activation', async () => {
    const { owner, key } = await ownerOfALicense('--max-activations', '1');
    const { deviceId, activationId } = await activate(server, owner, key);
    await release(owner, activationId);
    const again = await activate(server, owner, key, deviceId);
    expect(again.response.body).toMatchObject({ activation_id: uuid, activations: 1 });
    expect(again.activationId).not.toBe(activationId);
  });

  it('removes the device from the list', async () => {
    const { owner, key } = await ownerOfALicense();
    const { activationId } = await activate(server, owner, key);
    await release(owner, activationId);
    expect(await devicesOf(owner)).toStrictEqual([]);
  });

  it('works on a license that has been revoked', async () => {
    const { owner, key, id } = await ownerOfALicense();
    const { activationId } = await activate(server, owner, key);
    await server.admin('license', 'set', id, '--status', 'revoked');
    expect((await release(owner, activationId)).status).toBe(200);
  });

  it('of a device that was already released answers NOT_FOUND', async () => {
    const { owner, key } = await ownerOfALicense();
    const { activationId } = await activate(server, owner, key);
    await release(owner, activationId);
    const { status, body } = await release(owner, activationId);
    expect(status).toBe(404);
    expect(body).toStrictEqual(envelope('NOT_FOUND'));
  });

  it('of another account’s device answers NOT_FOUND and leaves the device active', async () => {
    const { owner, key } = await ownerOfALicense();
    const { activationId } = await activate(server, owner, key);
    const { status, body } = await release(await signUp(server), activationId);
    expect(status).toBe(404);
    expect(body).toStrictEqual(envelope('NOT_FOUND'));
    expect(await devicesOf(owner)).toHaveLength(1);
  });

  it.each([randomUUID(), 'rubbish', newDeviceId(), "' OR 1=1 --", '%', '\u0000', 'x'.repeat(90), '🦊', '..'])(
    'of %j answers NOT_FOUND',
    async (activationId) => {
      const { status, body } = await release(await anybody(), activationId);
      expect(status).toBe(404);
      expect(body).toStrictEqual(envelope('NOT_FOUND'));
    },
  );
});

let somebody: Promise<User> | undefined;

/** Returns one account for all cases that are refused before they use it. */
function anybody(): Promise<User> {
  somebody ??= signUp(server);
  return somebody;
}
