/** `GET /subscription/status`: subscription, license and features of the account, in every state they can have. */
import { describe, expect, it } from 'vitest';
import {
  advancedFeatures,
  freeFeatures,
  licensePreview,
  standardFeatures,
  timestamp,
} from '../harness/response-shapes.ts';
import { startedService } from '../harness/use-server.ts';
import {
  activate,
  dayMs,
  isoFromNow,
  issueLicense,
  type Person,
  signUp,
  subscribe,
  subscriber,
} from '../harness/users.ts';

const service = startedService();

async function statusOf({ token }: Person) {
  const { status, body } = await service.call('subscriptionStatus', { token });
  expect(status).toBe(200);
  return body;
}

describe('without a subscription', () => {
  it('all four fields are there, with the features of free', async () => {
    expect(await statusOf(await signUp(service))).toStrictEqual({
      has_subscription: false,
      subscription: null,
      license: null,
      features: freeFeatures,
    });
  });

  it('the license is shown, with the features of its plan', async () => {
    const person = await signUp(service);
    await issueLicense(service, '--email', person.email, '--plan', 'advanced');
    expect(await statusOf(person)).toStrictEqual({
      has_subscription: false,
      subscription: null,
      license: { key_preview: licensePreview, plan: 'advanced', status: 'active', activations: 0, max_activations: 10 },
      features: advancedFeatures,
    });
  });
});

describe('with a subscription', () => {
  it('exactly the fields of the interface are there', async () => {
    const person = await subscriber(service, 'standard');
    expect(await statusOf(person)).toStrictEqual({
      has_subscription: true,
      subscription: {
        plan: 'standard',
        status: 'active',
        current_period_start: timestamp,
        current_period_end: timestamp,
        cancel_at_period_end: false,
      },
      license: null,
      features: standardFeatures,
    });
  });

  it('its period is thirty days where nothing else was said', async () => {
    const { subscription } = await statusOf(await subscriber(service, 'standard'));
    const { current_period_start: start, current_period_end: end } = subscription as Record<string, string>;
    expect(Date.parse(end ?? '') - Date.parse(start ?? '')).toBe(30 * dayMs);
    expect(Math.abs(Date.parse(start ?? '') - Date.now())).toBeLessThan(60_000);
  });

  it('it says that it ends with its period, and when', async () => {
    const end = isoFromNow(5 * dayMs);
    const person = await subscriber(service, 'standard', '--cancel-at-period-end', '--period-end', end);
    expect((await statusOf(person)).subscription).toMatchObject({
      status: 'active',
      cancel_at_period_end: true,
      current_period_end: end,
    });
  });

  it.each([
    ['free', freeFeatures],
    ['standard', standardFeatures],
    ['advanced', advancedFeatures],
  ])('to %s, the features are exactly those of the plan', async (plan, features) => {
    expect((await statusOf(await subscriber(service, plan))).features).toStrictEqual(features);
  });

  it.each(['trialing', 'active', 'past_due'])('that is %s, the plan gives access', async (status) => {
    const body = await statusOf(await subscriber(service, 'advanced', '--status', status));
    expect(body).toMatchObject({ has_subscription: true, subscription: { status }, features: advancedFeatures });
  });

  it.each(['canceled', 'expired'])('that is %s, it is still shown but gives the features of free', async (status) => {
    const body = await statusOf(await subscriber(service, 'advanced', '--status', status));
    expect(body).toMatchObject({ has_subscription: true, subscription: { plan: 'advanced', status } });
    expect(body.features).toStrictEqual(freeFeatures);
  });

  it.each(['trialing', 'active', 'past_due', 'expired'])(
    'that was %s and whose period has passed, it reads expired',
    async (status) => {
      const end = isoFromNow(-1000);
      const body = await statusOf(await subscriber(service, 'advanced', '--status', status, '--period-end', end));
      expect(body).toMatchObject({
        has_subscription: true,
        subscription: { status: 'expired', current_period_end: end },
      });
      expect(body.features).toStrictEqual(freeFeatures);
    },
  );

  it('that is canceled, it stays canceled when its period has passed', async () => {
    const person = await subscriber(service, 'standard', '--status', 'canceled', '--period-end', isoFromNow(-1000));
    expect((await statusOf(person)).subscription).toMatchObject({ status: 'canceled' });
  });

  it('it turns to expired at the end of its period, with no job having to run', async () => {
    const person = await signUp(service);
    const end = Date.now() + 2_000;
    await subscribe(service, person, 'standard', '--period-end', new Date(end).toISOString());
    const before = await statusOf(person);
    // Only a machine that took two seconds for one command has missed the moment before.
    if (Date.now() < end)
      expect(before).toMatchObject({ subscription: { status: 'active' }, features: standardFeatures });
    await expect
      .poll(async () => await statusOf(person), { timeout: 15_000, interval: 100 })
      .toMatchObject({ subscription: { status: 'expired' }, features: freeFeatures });
    expect(Date.now()).toBeGreaterThanOrEqual(end);
  }, 30_000);

  it('a later one replaces it wholly', async () => {
    const person = await subscriber(service, 'advanced', '--cancel-at-period-end', '--status', 'past_due');
    await subscribe(service, person, 'standard');
    expect(await statusOf(person)).toMatchObject({
      subscription: { plan: 'standard', status: 'active', cancel_at_period_end: false },
      features: standardFeatures,
    });
  });

  it('the features are those of its plan, not of the license', async () => {
    const person = await subscriber(service, 'standard');
    await issueLicense(service, '--email', person.email, '--plan', 'advanced');
    expect(await statusOf(person)).toMatchObject({ license: { plan: 'advanced' }, features: standardFeatures });
  });
});

describe('the license', () => {
  it('shows its activations as they are', async () => {
    const person = await subscriber(service);
    const { key } = await issueLicense(service, '--email', person.email);
    await activate(service, person, key);
    await activate(service, person, key);
    expect((await statusOf(person)).license).toStrictEqual({
      key_preview: `${key.slice(0, 8)}...${key.slice(-4)}`,
      plan: 'standard',
      status: 'active',
      activations: 2,
      max_activations: 3,
    });
  });

  it.each(['inactive', 'revoked', 'expired'])('reads %s where it was set so', async (status) => {
    const person = await signUp(service);
    const { id } = await issueLicense(service, '--email', person.email);
    await service.admin('license', 'set', id, '--status', status);
    expect((await statusOf(person)).license).toMatchObject({ status });
  });

  it('reads expired once its own end has passed', async () => {
    const person = await signUp(service);
    await issueLicense(service, '--email', person.email, '--expires-at', isoFromNow(-1000));
    expect((await statusOf(person)).license).toMatchObject({ status: 'expired' });
  });

  it('of several is the active one, though a newer one is not', async () => {
    const person = await signUp(service);
    const active = await issueLicense(service, '--email', person.email);
    const newer = await issueLicense(service, '--email', person.email, '--plan', 'advanced');
    await service.admin('license', 'set', newer.id, '--status', 'revoked');
    expect((await statusOf(person)).license).toMatchObject({
      key_preview: active.license.key_preview,
      status: 'active',
    });
  });

  it('of several that have all ended is the newest', async () => {
    const person = await signUp(service);
    const older = await issueLicense(service, '--email', person.email);
    const newer = await issueLicense(service, '--email', person.email, '--plan', 'advanced');
    await service.admin('license', 'set', older.id, '--status', 'inactive');
    await service.admin('license', 'set', newer.id, '--status', 'revoked');
    expect((await statusOf(person)).license).toMatchObject({ key_preview: newer.license.key_preview });
  });

  it('of another account is not shown', async () => {
    const [person, stranger] = [await signUp(service), await signUp(service)];
    await issueLicense(service, '--email', stranger.email);
    expect((await statusOf(person)).license).toBeNull();
  });

  it('that belonged to nobody is shown once it was claimed', async () => {
    const person = await signUp(service);
    const { key } = await issueLicense(service);
    expect((await statusOf(person)).license).toBeNull();
    await activate(service, person, key);
    expect((await statusOf(person)).license).toMatchObject({ status: 'active', activations: 1 });
  });
});
