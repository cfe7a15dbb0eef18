/** The extensions that list an account's devices and release one. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { envelope, timestamp, uuid } from '../harness/response-shapes.ts';
import { startedService } from '../harness/use-server.ts';
import { activate, issueLicense, newDeviceId, type Person, signUp } from '../harness/users.ts';

const service = startedService();

async function devicesOf({ token }: Person) {
  const answer = await service.call('listActivations', { token });
  expect(answer.status).toBe(200);
  expect(Object.keys(answer.body)).toStrictEqual(['activations']);
  return answer.body.activations as Record<string, unknown>[];
}

function release({ token }: Person, activationId: string) {
  return service.call('releaseActivation', { token, at: activationId });
}

async function ownerOfALicense(...parameters: string[]) {
  const owner = await signUp(service);
  return { owner, ...(await issueLicense(service, '--email', owner.email, ...parameters)) };
}

describe('the list of devices', () => {
  it('is empty for an account that activated none', async () => {
    expect(await devicesOf(await signUp(service))).toStrictEqual([]);
  });

  it('has exactly the fields of the extension', async () => {
    const { owner, key } = await ownerOfALicense();
    const { deviceId, activationId } = await activate(service, owner, key);
    expect(await devicesOf(owner)).toStrictEqual([
      {
        activation_id: activationId,
        key_preview: `${key.slice(0, 8)}...${key.slice(-4)}`,
        device_id: deviceId,
        device_name: 'Desk',
        platform: 'linux',
        activated_at: timestamp,
        last_seen_at: timestamp,
        activity: 'active',
      },
    ]);
  });

  it('has the devices of every license of the account, least recently seen first', async () => {
    const { owner, key } = await ownerOfALicense();
    const other = await issueLicense(service, '--email', owner.email);
    const first = await activate(service, owner, key);
    const second = await activate(service, owner, other.key);
    const third = await activate(service, owner, key);
    // Seen again: the first becomes the last of the list.
    await service.call('heartbeat', { token: owner.token, body: { device_id: first.deviceId } });
    const order = (await devicesOf(owner)).map((device) => device.device_id);
    expect(order).toStrictEqual([second.deviceId, third.deviceId, first.deviceId]);
  });

  it('shows no device of another account', async () => {
    const { owner, key } = await ownerOfALicense();
    await activate(service, owner, key);
    expect(await devicesOf(await signUp(service))).toStrictEqual([]);
  });

  it('never holds a whole license key', async () => {
    const { owner, key } = await ownerOfALicense();
    await activate(service, owner, key);
    expect((await service.call('listActivations', { token: owner.token })).text).not.toContain(key);
  });
});

describe('a release', () => {
  it('answers 200 with the slots of the license and nothing else', async () => {
    const { owner, key } = await ownerOfALicense('--max-activations', '4');
    const { activationId } = await activate(service, owner, key);
    await activate(service, owner, key);
    const { status, body } = await release(owner, activationId);
    expect(status).toBe(200);
    expect(body).toStrictEqual({ success: true, activations: 1, max_activations: 4 });
  });

  it('frees the slot for another device', async () => {
    const { owner, key } = await ownerOfALicense('--max-activations', '1');
    const { activationId } = await activate(service, owner, key);
    await release(owner, activationId);
    expect((await activate(service, owner, key)).answer.body).toMatchObject({ success: true, activations: 1 });
  });

  it('lets the same device come back, under a new activation', async () => {
    const { owner, key } = await ownerOfALicense('--max-activations', '1');
    const { deviceId, activationId } = await activate(service, owner, key);
    await release(owner, activationId);
    const again = await activate(service, owner, key, deviceId);
    expect(again.answer.body).toMatchObject({ activation_id: uuid, activations: 1 });
    expect(again.activationId).not.toBe(activationId);
  });

  it('takes the device off the list', async () => {
    const { owner, key } = await ownerOfALicense();
    const { activationId } = await activate(service, owner, key);
    await release(owner, activationId);
    expect(await devicesOf(owner)).toStrictEqual([]);
  });

  it('works on a license that has ended', async () => {
    const { owner, key, id } = await ownerOfALicense();
    const { activationId } = await activate(service, owner, key);
    await service.admin('license', 'set', id, '--status', 'revoked');
    expect((await release(owner, activationId)).status).toBe(200);
  });

  it('of a device that was released already is NOT_FOUND', async () => {
    const { owner, key } = await ownerOfALicense();
    const { activationId } = await activate(service, owner, key);
    await release(owner, activationId);
    const { status, body } = await release(owner, activationId);
    expect(status).toBe(404);
    expect(body).toStrictEqual(envelope('NOT_FOUND'));
  });

  it('of another account’s device is NOT_FOUND, and the device stays', async () => {
    const { owner, key } = await ownerOfALicense();
    const { activationId } = await activate(service, owner, key);
    const { status, body } = await release(await signUp(service), activationId);
    expect(status).toBe(404);
    expect(body).toStrictEqual(envelope('NOT_FOUND'));
    expect(await devicesOf(owner)).toHaveLength(1);
  });

  it.each([randomUUID(), 'rubbish', newDeviceId(), "' OR 1=1 --", '%', '\u0000', 'x'.repeat(90), '🦊', '..'])(
    'of %j is NOT_FOUND',
    async (activationId) => {
      const { status, body } = await release(await anybody(), activationId);
      expect(status).toBe(404);
      expect(body).toStrictEqual(envelope('NOT_FOUND'));
    },
  );
});

let somebody: Promise<Person> | undefined;

/** An account for the cases that never get as far as touching it. */
function anybody(): Promise<Person> {
  somebody ??= signUp(service);
  return somebody;
}
