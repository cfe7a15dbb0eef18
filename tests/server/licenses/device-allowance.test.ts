/** How many different devices a license can be used on in 30 days, no matter how many are released in between. */
import { describe, expect, it } from 'vitest';
import { describeDeviceAllowance } from '../../../server/activations/place-messages.ts';
import { day } from '../../harness/fake-clock.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { sharedApp } from '../../harness/start-app.ts';
import type { TestResponse } from '../../harness/test-client.ts';
import { activate, issueLicense, newDeviceId, signUp, type User } from '../../harness/users.ts';

const server = sharedApp({ LATCHKEY_ACCESS_TOKEN_TTL: '900d' });

async function ownerOfALicense(...words: string[]): Promise<{ owner: User; key: string }> {
  const owner = await signUp(server);
  return { owner, ...(await issueLicense(server, '--email', owner.email, ...words)) };
}

async function canActivate({ token }: User, licenseKey: string, deviceId: string): Promise<unknown> {
  const body = { license_key: licenseKey, device_id: deviceId };
  return (await server.call('validateLicense', { token, body })).body.can_activate;
}

/** Returns the time from which another device can be activated, according to the response. */
function untilOf({ headers }: TestResponse): number {
  return Math.floor(server.now() / 1000) * 1000 + Number(headers.get('retry-after')) * 1000;
}

/** Activates the device and releases it a minute later. */
async function activateAndRelease(owner: User, key: string, deviceId = newDeviceId()) {
  const activated = await activate(server, owner, key, deviceId);
  server.clock.advance(60_000);
  if (activated.response.status === 200) {
    await server.call('releaseActivation', { token: owner.token, at: activated.activationId });
  }
  return activated;
}

describe('a license for one device', () => {
  it('can be used on 11 devices one after the other in 30 days, not on 200', async () => {
    const { owner, key } = await ownerOfALicense('--max-activations', '1');
    const startMs = server.now();
    const devices: string[] = [];
    for (let used = 1; used <= 11; used++) {
      const { deviceId, response } = await activateAndRelease(owner, key);
      expect(response.status).toBe(200);
      devices.push(deviceId);
      // The message warns before the last one.
      const untilMs = Math.ceil((startMs + 60_000 + 30 * day) / day) * day;
      const hint = used >= 10 ? ` ${describeDeviceAllowance({ remaining: 11 - used, untilMs })}` : '';
      expect(response.body.message).toBe(`This device is activated.${hint}`);
    }
    const next = newDeviceId();
    expect(await canActivate(owner, key, next)).toBe(false);
    const { response } = await activate(server, owner, key, next);
    expect(response.status).toBe(409);
    expect(response.body).toStrictEqual(envelope('MAX_ACTIVATIONS_REACHED'));
    const untilMs = Math.ceil((startMs + 60_000 + 30 * day) / day) * day;
    expect(untilOf(response)).toBe(untilMs);
    expect(response.body.error).toContain(describeDeviceAllowance({ remaining: 0, untilMs }));

    // Devices that were already used do not count again, however often.
    for (const deviceId of [...devices, ...devices]) {
      expect(await canActivate(owner, key, deviceId)).toBe(true);
      expect((await activateAndRelease(owner, key, deviceId)).response.status).toBe(200);
    }
    expect((await activate(server, owner, key, next)).response.status).toBe(409);
  });

  it('accepts the next new device on the day that Retry-After says', async () => {
    const { owner, key } = await ownerOfALicense('--max-activations', '1');
    for (let used = 1; used <= 11; used++) await activateAndRelease(owner, key);
    const { response } = await activate(server, owner, key);
    server.clock.advance(untilOf(response) - server.now());
    const deviceId = newDeviceId();
    expect(await canActivate(owner, key, deviceId)).toBe(true);
    expect((await activate(server, owner, key, deviceId)).response.status).toBe(200);
  });

  it('shows how many new devices are left, and until when, once only a few are left', async () => {
    const { owner, key } = await ownerOfALicense('--max-activations', '1');
    const listed = async () => (await server.call('listActivations', { token: owner.token })).body.new_devices;
    const until = new Date(Math.ceil((server.now() + 60_000 + 30 * day) / day) * day).toISOString();
    const left: unknown[] = [];
    for (let used = 1; used <= 11; used++) {
      await activateAndRelease(owner, key);
      left.push(await listed());
    }
    const preview = `${key.slice(0, 8)}...${key.slice(-4)}`;
    const few = (remaining: number) => [{ key_preview: preview, remaining, until }];
    expect(left).toStrictEqual([...Array.from({ length: 9 }, () => undefined), few(1), few(0)]);
  });

  it('cannot get around the limit by replacing devices', async () => {
    const { owner, key } = await ownerOfALicense('--max-activations', '1');
    let replaces = (await activate(server, owner, key)).activationId;
    const replace = () =>
      server.call('activateLicense', {
        token: owner.token,
        body: { license_key: key, device_id: newDeviceId(), replaces },
      });
    for (let replaced = 1; replaced <= 10; replaced++) {
      const response = await replace();
      expect(response.status).toBe(200);
      replaces = String(response.body.activation_id);
    }
    const rejected = await replace();
    expect(rejected.status).toBe(409);
    expect(untilOf(rejected) % day).toBe(0);
    // The last device stays active and can be released.
    const released = await server.call('releaseActivation', { token: owner.token, at: replaces });
    expect(released.status).toBe(200);
  });

  it('stores one row for each device, even if two devices alternate', async () => {
    const { owner, key } = await ownerOfALicense('--max-activations', '1');
    const devices = [newDeviceId(), newDeviceId()];
    for (let round = 0; round < 20; round++)
      for (const deviceId of devices) await activateAndRelease(owner, key, deviceId);
    const rows = await server.database.read
      .selectFrom('activations')
      .select('id')
      .where('device_id', 'in', devices)
      .execute();
    expect(rows).toHaveLength(2);
  });
});

describe('the allowance of a plan', () => {
  it('is set by an admin and also applies to licenses issued before', async () => {
    await server.admin('plan', 'set', 'shared-lab', '--max-devices', '2');
    const { owner, key } = await ownerOfALicense('--plan', 'shared-lab');
    const plan = await server.admin('plan', 'set', 'shared-lab', '--new-devices-per-month', '0');
    expect(plan).toMatchObject({ max_devices: 2, new_devices_per_month: 0 });
    await activateAndRelease(owner, key);
    await activateAndRelease(owner, key);
    expect((await activate(server, owner, key)).response.status).toBe(409);
    await server.admin('plan', 'set', 'shared-lab', '--new-devices-per-month', '1');
    expect((await activate(server, owner, key)).response.status).toBe(200);
  });

  it('is 10 unless it is set', async () => {
    const plans = (await server.admin('plan', 'list')) as unknown as Record<string, unknown>[];
    expect(plans.find(({ name }) => name === 'standard')).toMatchObject({ new_devices_per_month: 10 });
    expect(await server.admin('plan', 'set', 'fresh')).toMatchObject({ new_devices_per_month: 10 });
  });
});
