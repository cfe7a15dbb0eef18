/** `/license/validate`: what a key is worth on a device. */
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

const validate = (person: SignedUp, license_key: string, device = deviceId(1)) =>
  test.call('POST', '/license/validate', { token: person.accessToken, body: { license_key, device_id: device } });

const activate = (person: SignedUp, license_key: string, device = deviceId(1)) =>
  test.call('POST', '/license/activate', { token: person.accessToken, body: { license_key, device_id: device } });

describe('a good license', () => {
  it('is answered with the fields of the interface and no more', async () => {
    const person = await test.signUp();
    const { license_key } = await services.licenseAdmin.issue({ userId: person.id });
    const { status, body } = await validate(person, license_key);
    expect(status).toBe(200);
    expect(body).toStrictEqual({
      valid: true,
      plan: 'standard',
      status: 'active',
      activations: 0,
      max_activations: 3,
      can_activate: true,
      already_activated_on_device: false,
      features: {
        real_time_visualization: true,
        osc_lsl_streaming: true,
        csv_export: true,
        api_access: true,
        max_devices: 3,
      },
    });
  });

  it('can be activated again on its own devices when it is full, and on no other', async () => {
    const person = await test.signUp();
    const { license_key } = await services.licenseAdmin.issue({ userId: person.id, maxActivations: 1 });
    await activate(person, license_key, deviceId(1));
    expect((await validate(person, license_key, deviceId(1))).body).toMatchObject({
      activations: 1,
      can_activate: true,
      already_activated_on_device: true,
    });
    expect((await validate(person, license_key, deviceId(2))).body).toMatchObject({
      valid: true,
      activations: 1,
      can_activate: false,
      already_activated_on_device: false,
    });
  });

  it('that is unassigned is good for anyone, and stays unassigned', async () => {
    const { license_key, license } = await services.licenseAdmin.issue({});
    for (const person of [await test.signUp(), await test.signUp()]) {
      expect((await validate(person, license_key)).body).toMatchObject({ valid: true, can_activate: true });
    }
    expect(await services.licenseAdmin.list()).toContainEqual(expect.objectContaining({ id: license.id, email: null }));
  });
});

describe('a license that is not good', () => {
  it('is refused for the first reason of the order', async () => {
    const person = await test.signUp();
    await services.subscriptions.set(person.id, { plan: 'standard', status: 'canceled' });
    const { license, license_key } = await services.licenseAdmin.issue({
      userId: person.id,
      withSubscription: true,
      expiresAtMs: test.clock.now() + day,
    });
    const code = async () => (await validate(person, license_key)).body.code;
    expect(await code()).toBe('SUBSCRIPTION_INACTIVE');
    await services.licenseAdmin.setStatus(license.id, 'inactive');
    expect(await code()).toBe('LICENSE_INACTIVE');
    test.clock.advance(day);
    expect(await code()).toBe('LICENSE_EXPIRED');
    await services.licenseAdmin.setStatus(license.id, 'revoked');
    expect(await code()).toBe('LICENSE_REVOKED');
    expect((await validate(await test.signUp(), license_key)).body.code).toBe('LICENSE_NOT_FOUND');
  });

  it('is answered 200 with exactly valid, error and code', async () => {
    const person = await test.signUp();
    const { status, body } = await validate(person, 'SVC-0000-0000-0000-0000');
    expect(status).toBe(200);
    expect(body).toStrictEqual({ valid: false, error: expect.stringMatching(/\w/), code: 'LICENSE_NOT_FOUND' });
  });

  it('follows the subscription of its owner when tied to it, and comes back with it', async () => {
    const person = await test.signUp();
    await services.subscriptions.set(person.id, { plan: 'standard', periodEndMs: test.clock.now() + day });
    const tied = await services.licenseAdmin.issue({ userId: person.id, withSubscription: true });
    const alone = await services.licenseAdmin.issue({ userId: person.id });
    expect((await validate(person, tied.license_key)).body.valid).toBe(true);
    test.clock.advance(day);
    expect((await validate(person, tied.license_key)).body.code).toBe('SUBSCRIPTION_INACTIVE');
    expect((await validate(person, alone.license_key)).body.valid).toBe(true);
    await services.subscriptions.set(person.id, { plan: 'standard' });
    expect((await validate(person, tied.license_key)).body.valid).toBe(true);
  });
});

describe('validation', () => {
  it('of a device that is active says that it was seen, and of another says nothing', async () => {
    const person = await test.signUp();
    const { license_key } = await services.licenseAdmin.issue({ userId: person.id });
    await activate(person, license_key, deviceId(1));
    const seen = async () => (await services.activations.list(person.id))[0]?.last_seen_at;
    const before = await seen();
    test.clock.advance(day);
    await validate(person, license_key, deviceId(2));
    expect(await seen()).toBe(before);
    await validate(person, license_key, deviceId(1));
    expect(await seen()).toBe(new Date(test.clock.now()).toISOString());
  });

  it.each(['', 'x', 'SVC-', 'SVC-0000-0000-0000-0001', '\0'.repeat(19), 'S'.repeat(60_000)])(
    'of what is no key is LICENSE_NOT_FOUND: %#',
    async (key) => {
      const { status, body } = await validate(await test.signUp(), key);
      expect([status, body.code]).toStrictEqual([200, 'LICENSE_NOT_FOUND']);
    },
  );
});
