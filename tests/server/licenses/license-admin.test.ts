/** What staff do with licenses. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Services } from '../../../server/services.ts';
import { day } from '../../harness/fake-clock.ts';
import { deviceId, servicesOf } from '../../harness/services-of.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';

let test: TestApp;
let services: Services;

beforeAll(async () => {
  test = await startTestApp();
  services = servicesOf(test);
});
afterAll(() => test.close());

describe('issuing a license', () => {
  it('shows the key this once and keeps neither the key nor a plain hash of it', async () => {
    const { license_key, license } = await services.licenseAdmin.issue({});
    expect(license_key).toMatch(/^SVC(-[0-9A-HJKMNP-TV-Z]{4}){4}$/);
    expect(license).toMatchObject({
      plan: 'standard',
      status: 'active',
      activations: 0,
      max_activations: 3,
      email: null,
    });
    const row = await test.database.read
      .selectFrom('licenses')
      .selectAll()
      .where('id', '=', license.id)
      .executeTakeFirst();
    expect(JSON.stringify(row)).not.toContain(license_key);
    expect(row?.key_preview).toBe(`${license_key.slice(0, 8)}...${license_key.slice(-4)}`);
  });

  it('takes the plan of its owner’s subscription, and as many devices as that has', async () => {
    const { id } = await test.signUp();
    await services.subscriptions.set(id, { plan: 'advanced' });
    const { license } = await services.licenseAdmin.issue({ userId: id });
    expect(license).toMatchObject({ plan: 'advanced', max_activations: 10, user_id: id, with_subscription: false });
  });

  it('goes by what the plan is once the writes before it are done', async () => {
    await services.plans.set('changing', { maxDevices: 2 });
    const [, { license }] = await Promise.all([
      services.plans.set('changing', { maxDevices: 7 }),
      services.licenseAdmin.issue({ plan: 'changing' }),
    ]);
    expect(license.max_activations).toBe(7);
  });

  it.each([
    { issue: { withSubscription: true }, code: 'VALIDATION_ERROR' },
    { issue: { maxActivations: -1 }, code: 'VALIDATION_ERROR' },
    { issue: { maxActivations: 1.5 }, code: 'VALIDATION_ERROR' },
    { issue: { expiresAtMs: 9e15 }, code: 'VALIDATION_ERROR' },
    { issue: { plan: 'gold' }, code: 'NOT_FOUND' },
  ])('refuses $issue', async ({ issue, code }) => {
    await expect(services.licenseAdmin.issue(issue)).rejects.toMatchObject({ code });
  });

  it('takes a date that is past: it reads expired, whatever status is set', async () => {
    const { license } = await services.licenseAdmin.issue({ expiresAtMs: test.clock.now() - day });
    expect(license.status).toBe('expired');
    expect((await services.licenseAdmin.setStatus(license.id, 'active')).status).toBe('expired');
  });
});

describe('the list of licenses', () => {
  it('names owner and devices, oldest first', async () => {
    const person = await test.signUp();
    const { license_key } = await services.licenseAdmin.issue({ userId: person.id });
    test.clock.advance(1000);
    const second = await services.licenseAdmin.issue({ userId: person.id });
    await services.licenses.activate(person.id, {
      license_key,
      device_id: deviceId(1),
      device_name: 'Desk',
      platform: 'linux',
    });
    const [first, ...rest] = await services.licenseAdmin.list(person.id);
    expect(first).toMatchObject({ email: person.email, activations: 1, devices: [{ device_id: deviceId(1) }] });
    expect(rest).toStrictEqual([second.license]);
  });
});

describe('a device', () => {
  it('can be taken off a license', async () => {
    const person = await test.signUp();
    const { license, license_key } = await services.licenseAdmin.issue({ userId: person.id });
    const call = { license_key, device_id: deviceId(1), device_name: '', platform: '' };
    await services.licenses.activate(person.id, call);
    expect(await services.licenseAdmin.release(license.id, deviceId(1))).toMatchObject({ activations: 0, devices: [] });
    await expect(services.licenseAdmin.release(license.id, deviceId(1))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

it('an id that is none is NOT_FOUND', async () => {
  await expect(services.licenseAdmin.setStatus('x', 'revoked')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(services.licenseAdmin.release('x', deviceId(1))).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
