/** The devices of an account: listed, released, and never released by themselves. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Services } from '../../../server/services.ts';
import { day } from '../../harness/fake-clock.ts';
import { deviceId, servicesOf } from '../../harness/services-of.ts';
import { type SignedUp, startTestApp, type TestApp } from '../../harness/start-app.ts';

let test: TestApp;
let services: Services;

beforeAll(async () => {
  test = await startTestApp({ LATCHKEY_ACCESS_TOKEN_TTL: '90d' });
  services = servicesOf(test);
});
afterAll(() => test.close());

const activate = async (person: SignedUp, license_key: string, device: number) => {
  const body = { license_key, device_id: deviceId(device), device_name: `device ${device}`, platform: 'linux' };
  return (await test.call('POST', '/license/activate', { token: person.accessToken, body })).body;
};

const list = async (person: SignedUp) =>
  (await test.call('GET', '/license/activations', { token: person.accessToken })).body.activations;

const release = (person: SignedUp, id: unknown) =>
  test.call('DELETE', `/license/activations/${id}`, { token: person.accessToken });

describe('the list of devices', () => {
  it('has those of all licenses of the account, least recently seen first', async () => {
    const person = await test.signUp();
    const one = await services.licenseAdmin.issue({ userId: person.id });
    const two = await services.licenseAdmin.issue({ userId: person.id });
    const first = await activate(person, one.license_key, 1);
    test.clock.advance(1000);
    await activate(person, two.license_key, 2);
    test.clock.advance(1000);
    await test.call('POST', '/heartbeat', { token: person.accessToken, body: { device_id: deviceId(1) } });
    expect(await list(person)).toStrictEqual([
      expect.objectContaining({ device_id: deviceId(2), key_preview: two.license.key_preview }),
      {
        activation_id: first.activation_id,
        key_preview: one.license.key_preview,
        device_id: deviceId(1),
        device_name: 'device 1',
        platform: 'linux',
        activated_at: new Date(test.clock.now() - 2000).toISOString(),
        last_seen_at: new Date(test.clock.now()).toISOString(),
        activity: 'active',
      },
    ]);
  });

  it('keeps devices that fall silent: they read idle, then stale', async () => {
    const person = await test.signUp();
    const { license_key } = await services.licenseAdmin.issue({ userId: person.id });
    await activate(person, license_key, 1);
    test.clock.advance(7 * day);
    expect(await list(person)).toMatchObject([{ activity: 'idle' }]);
    test.clock.advance(23 * day);
    expect(await list(person)).toMatchObject([{ activity: 'stale' }]);
  });

  it('is empty for an account without a license', async () => {
    expect(await list(await test.signUp())).toStrictEqual([]);
  });
});

describe('releasing a device', () => {
  it('frees its slot, once', async () => {
    const person = await test.signUp();
    const { license_key } = await services.licenseAdmin.issue({ userId: person.id, maxActivations: 1 });
    const { activation_id } = await activate(person, license_key, 1);
    const released = await release(person, activation_id);
    expect([released.status, released.body]).toStrictEqual([
      200,
      { success: true, activations: 0, max_activations: 1 },
    ]);
    expect((await release(person, activation_id)).body.code).toBe('NOT_FOUND');
    expect(await activate(person, license_key, 2)).toMatchObject({ success: true, activations: 1 });
  });

  it('of another account is NOT_FOUND and changes nothing', async () => {
    const [owner, stranger] = [await test.signUp(), await test.signUp()];
    const { license_key } = await services.licenseAdmin.issue({ userId: owner.id });
    const { activation_id } = await activate(owner, license_key, 1);
    const { status, body } = await release(stranger, activation_id);
    expect([status, body.code]).toStrictEqual([404, 'NOT_FOUND']);
    expect(await list(owner)).toHaveLength(1);
  });

  it.each(['x', '%00', '%F0%9F%94%91', '00000000-0000-4000-8000-000000000000'])(
    'that is none is NOT_FOUND: %s',
    async (id) => {
      const { status, body } = await release(await test.signUp(), id);
      expect([status, body.code]).toStrictEqual([404, 'NOT_FOUND']);
    },
  );
});
