/** `/subscription/status`: the subscription, the license that stands for the account, and the features in force. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decidePlanInForce } from '../../../server/entitlements/entitlement.service.ts';
import type { Services } from '../../../server/services.ts';
import { seededPlans } from '../../../shared/api/features.ts';
import { day, testStartMs } from '../../harness/fake-clock.ts';
import { servicesOf } from '../../harness/services-of.ts';
import { type SignedUp, startTestApp, type TestApp } from '../../harness/start-app.ts';

let test: TestApp;
let services: Services;

beforeAll(async () => {
  test = await startTestApp();
  services = servicesOf(test);
});
afterAll(() => test.close());

const status = async (person: SignedUp) =>
  (await test.call('GET', '/subscription/status', { token: person.accessToken })).body;

describe('the plan in force', () => {
  const subscription = (givesAccess: boolean) => ({ subscription: { plan: 'standard' }, givesAccess });
  const usable = (isUsable: boolean) => ({ license: { plan: 'advanced' }, isUsable });
  it.each([
    { when: 'there is nothing', access: undefined, license: undefined, plan: 'free' },
    { when: 'there is a usable license alone', access: undefined, license: usable(true), plan: 'advanced' },
    { when: 'there is a license alone that is not usable', access: undefined, license: usable(false), plan: 'free' },
    { when: 'the subscription gives access', access: subscription(true), license: usable(true), plan: 'standard' },
    { when: 'the subscription gives none', access: subscription(false), license: usable(true), plan: 'free' },
  ])('is $plan when $when', ({ access, license, plan }) => {
    expect(decidePlanInForce(access, license)).toBe(plan);
  });
});

describe('/subscription/status', () => {
  it('says of a new account that it has nothing but the free plan', async () => {
    expect(await status(await test.signUp())).toStrictEqual({
      has_subscription: false,
      subscription: null,
      license: null,
      features: seededPlans.free,
    });
  });

  it('shows subscription, license and features, and nothing more', async () => {
    const person = await test.signUp();
    await services.subscriptions.set(person.id, { plan: 'advanced' });
    const { license } = await services.licenseAdmin.issue({ userId: person.id });
    expect(await status(person)).toStrictEqual({
      has_subscription: true,
      subscription: {
        plan: 'advanced',
        status: 'active',
        current_period_start: new Date(testStartMs).toISOString(),
        current_period_end: new Date(testStartMs + 30 * day).toISOString(),
        cancel_at_period_end: false,
      },
      license: {
        key_preview: license.key_preview,
        plan: 'advanced',
        status: 'active',
        activations: 0,
        max_activations: 10,
      },
      features: seededPlans.advanced,
    });
  });

  it('reads expired with the free features once the period is over, without any job', async () => {
    const person = await test.signUp();
    await services.subscriptions.set(person.id, { plan: 'standard', periodEndMs: test.clock.now() + 1000 });
    expect(await status(person)).toMatchObject({ subscription: { status: 'active' }, features: { csv_export: true } });
    test.clock.advance(1000);
    expect(await status(person)).toMatchObject({
      has_subscription: true,
      subscription: { plan: 'standard', status: 'expired' },
      features: seededPlans.free,
    });
  });

  it('gives the free features to a canceled subscription, which it still shows', async () => {
    const person = await test.signUp();
    await services.subscriptions.set(person.id, { plan: 'standard', status: 'canceled' });
    expect(await status(person)).toMatchObject({
      has_subscription: true,
      subscription: { status: 'canceled' },
      features: seededPlans.free,
    });
  });

  it('gives the features of a license where there is no subscription, until it is revoked', async () => {
    const person = await test.signUp();
    const { license } = await services.licenseAdmin.issue({ userId: person.id, plan: 'advanced' });
    expect(await status(person)).toMatchObject({ has_subscription: false, features: seededPlans.advanced });
    await services.licenseAdmin.setStatus(license.id, 'revoked');
    expect(await status(person)).toMatchObject({ license: { status: 'revoked' }, features: seededPlans.free });
  });

  it('shows of several licenses the active one, else the newest', async () => {
    const person = await test.signUp();
    const older = await services.licenseAdmin.issue({ userId: person.id });
    test.clock.advance(1000);
    const newer = await services.licenseAdmin.issue({ userId: person.id });
    await services.licenseAdmin.setStatus(newer.license.id, 'inactive');
    expect(await status(person)).toMatchObject({ license: { key_preview: older.license.key_preview } });
    await services.licenseAdmin.setStatus(older.license.id, 'revoked');
    expect(await status(person)).toMatchObject({ license: { key_preview: newer.license.key_preview } });
  });

  it('carries what the plan carries now, after an admin changed it', async () => {
    const person = await test.signUp();
    await services.plans.set('lab', { maxDevices: 7, flags: { mental_state_detection: true } });
    await services.subscriptions.set(person.id, { plan: 'lab' });
    expect(await status(person)).toMatchObject({ features: { mental_state_detection: true, max_devices: 7 } });
    await services.plans.set('lab', { flags: { mental_state_detection: false } });
    expect(await status(person)).toMatchObject({ features: { mental_state_detection: false, max_devices: 7 } });
  });
});
