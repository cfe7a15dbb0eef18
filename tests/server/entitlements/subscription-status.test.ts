/** `GET /subscription/status`: the subscription, license and features of an account in every state. */
import { describe, expect, it } from 'vitest';
import { day } from '../../harness/fake-clock.ts';
import {
  advancedFeatures,
  freeFeatures,
  licensePreview,
  standardFeatures,
  timestamp,
} from '../../harness/response-shapes.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { activate, isoFromNow, issueLicense, signUp, subscribe, subscriber, type User } from '../../harness/users.ts';

const server = sharedApp();

async function statusOf({ token }: User) {
  const { status, body } = await server.call('subscriptionStatus', { token });
  expect(status).toBe(200);
  return body;
}

describe('an account without a subscription', () => {
  it('gets all four fields, with the features of free', async () => {
    expect(await statusOf(await signUp(server))).toStrictEqual({
      has_subscription: false,
      subscription: null,
      license: null,
      features: freeFeatures,
    });
  });

  it('sees its license, with the features of its plan', async () => {
    const user = await signUp(server);
    await issueLicense(server, '--email', user.email, '--plan', 'advanced');
    expect(await statusOf(user)).toStrictEqual({
      has_subscription: false,
      subscription: null,
      license: { key_preview: licensePreview, plan: 'advanced', status: 'active', activations: 0, max_activations: 10 },
      features: advancedFeatures,
    });
  });
});

describe('a license without a subscription', () => {
  it('gives the features of its plan until it is revoked', async () => {
    const user = await signUp(server);
    const { id } = await issueLicense(server, '--email', user.email, '--plan', 'advanced');
    expect((await statusOf(user)).features).toStrictEqual(advancedFeatures);
    await server.admin('license', 'set', id, '--status', 'revoked');
    expect(await statusOf(user)).toMatchObject({ license: { status: 'revoked' }, features: freeFeatures });
  });
});

describe('a subscription', () => {
  it('has exactly the documented fields', async () => {
    const user = await subscriber(server, 'standard');
    expect(await statusOf(user)).toStrictEqual({
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

  it('has a period of thirty days by default', async () => {
    const { subscription } = await statusOf(await subscriber(server, 'standard'));
    const { current_period_start: start, current_period_end: end } = subscription as Record<string, string>;
    expect(Date.parse(end ?? '') - Date.parse(start ?? '')).toBe(30 * day);
    expect(start).toBe(isoFromNow(server, 0));
  });

  it('says that it ends with its period, and when', async () => {
    const end = isoFromNow(server, 5 * day);
    const user = await subscriber(server, 'standard', '--cancel-at-period-end', '--period-end', end);
    expect((await statusOf(user)).subscription).toMatchObject({
      status: 'active',
      cancel_at_period_end: true,
      current_period_end: end,
    });
  });

  it.each([
    ['free', freeFeatures],
    ['standard', standardFeatures],
    ['advanced', advancedFeatures],
  ])('to %s gives exactly the features of that plan', async (plan, features) => {
    expect((await statusOf(await subscriber(server, plan))).features).toStrictEqual(features);
  });

  it.each(['trialing', 'active', 'past_due'])('that is %s gives access', async (status) => {
    const body = await statusOf(await subscriber(server, 'advanced', '--status', status));
    expect(body).toMatchObject({ has_subscription: true, subscription: { status }, features: advancedFeatures });
  });

  it.each(['canceled', 'expired'])('that is %s is still shown but gives the features of free', async (status) => {
    const body = await statusOf(await subscriber(server, 'advanced', '--status', status));
    expect(body).toMatchObject({ has_subscription: true, subscription: { plan: 'advanced', status } });
    expect(body.features).toStrictEqual(freeFeatures);
  });

  it.each(['trialing', 'active', 'past_due', 'expired'])(
    'that was %s is expired once its period has ended',
    async (status) => {
      const end = isoFromNow(server, -1000);
      const body = await statusOf(await subscriber(server, 'advanced', '--status', status, '--period-end', end));
      expect(body).toMatchObject({
        has_subscription: true,
        subscription: { status: 'expired', current_period_end: end },
      });
      expect(body.features).toStrictEqual(freeFeatures);
    },
  );

  it('that is canceled stays canceled when its period has ended', async () => {
    const user = await subscriber(
      server,
      'standard',
      '--status',
      'canceled',
      '--period-end',
      isoFromNow(server, -1000),
    );
    expect((await statusOf(user)).subscription).toMatchObject({ status: 'canceled' });
  });

  it('becomes expired at the end of its period, without any job running', async () => {
    const user = await subscriber(server, 'standard', '--period-end', isoFromNow(server, 1000));
    server.clock.advance(999);
    expect(await statusOf(user)).toMatchObject({ subscription: { status: 'active' }, features: standardFeatures });
    server.clock.advance(1);
    const body = await statusOf(user);
    expect(body).toMatchObject({ has_subscription: true, subscription: { plan: 'standard', status: 'expired' } });
    expect(body.features).toStrictEqual(freeFeatures);
  });

  it('gives the current features of its plan, after an admin changed the plan', async () => {
    await server.admin('plan', 'set', 'lab', '--max-devices', '7', '--feature', 'mental_state_detection=true');
    const user = await subscriber(server, 'lab');
    expect((await statusOf(user)).features).toMatchObject({ mental_state_detection: true, max_devices: 7 });
    await server.admin('plan', 'set', 'lab', '--feature', 'mental_state_detection=false');
    expect((await statusOf(user)).features).toMatchObject({ mental_state_detection: false, max_devices: 7 });
  });

  it('is entirely replaced by a later one', async () => {
    const user = await subscriber(server, 'advanced', '--cancel-at-period-end', '--status', 'past_due');
    await subscribe(server, user, 'standard');
    expect(await statusOf(user)).toMatchObject({
      subscription: { plan: 'standard', status: 'active', cancel_at_period_end: false },
      features: standardFeatures,
    });
  });

  it('gives the features of its plan, not those of the license', async () => {
    const user = await subscriber(server, 'standard');
    await issueLicense(server, '--email', user.email, '--plan', 'advanced');
    expect(await statusOf(user)).toMatchObject({ license: { plan: 'advanced' }, features: standardFeatures });
  });
});

describe('the license', () => {
  it('shows its current number of activations', async () => {
    const user = await subscriber(server);
    const { key } = await issueLicense(server, '--email', user.email);
    await activate(server, user, key);
    await activate(server, user, key);
    expect((await statusOf(user)).license).toStrictEqual({
      key_preview: `${key.slice(0, 8)}...${key.slice(-4)}`,
      plan: 'standard',
      status: 'active',
      activations: 2,
      max_activations: 3,
    });
  });

  it.each(['inactive', 'revoked', 'expired'])('is %s if set so', async (status) => {
    const user = await signUp(server);
    const { id } = await issueLicense(server, '--email', user.email);
    await server.admin('license', 'set', id, '--status', status);
    expect((await statusOf(user)).license).toMatchObject({ status });
  });

  it('is expired once its own end has passed', async () => {
    const user = await signUp(server);
    await issueLicense(server, '--email', user.email, '--expires-at', isoFromNow(server, -1000));
    expect((await statusOf(user)).license).toMatchObject({ status: 'expired' });
  });

  it('that is shown is the active one, even if an inactive one is newer', async () => {
    const user = await signUp(server);
    const active = await issueLicense(server, '--email', user.email);
    server.clock.advance(1000);
    const newer = await issueLicense(server, '--email', user.email, '--plan', 'advanced');
    await server.admin('license', 'set', newer.id, '--status', 'revoked');
    expect((await statusOf(user)).license).toMatchObject({
      key_preview: active.license.key_preview,
      status: 'active',
    });
  });

  it('that is shown is the newest if all have ended', async () => {
    const user = await signUp(server);
    const older = await issueLicense(server, '--email', user.email);
    server.clock.advance(1000);
    const newer = await issueLicense(server, '--email', user.email, '--plan', 'advanced');
    await server.admin('license', 'set', older.id, '--status', 'inactive');
    await server.admin('license', 'set', newer.id, '--status', 'revoked');
    expect((await statusOf(user)).license).toMatchObject({ key_preview: newer.license.key_preview });
  });

  it('of another account is not shown', async () => {
    const [user, other] = [await signUp(server), await signUp(server)];
    await issueLicense(server, '--email', other.email);
    expect((await statusOf(user)).license).toBeNull();
  });

  it('that had no owner is shown once the account has claimed it', async () => {
    const user = await signUp(server);
    const { key } = await issueLicense(server);
    expect((await statusOf(user)).license).toBeNull();
    await activate(server, user, key);
    expect((await statusOf(user)).license).toMatchObject({ status: 'active', activations: 1 });
  });
});

describe('the features in force', () => {
  it.each([
    { when: 'there is neither', features: freeFeatures },
    { when: 'there is a usable license alone', license: 'active', features: advancedFeatures },
    { when: 'there is a license alone that is not usable', license: 'inactive', features: freeFeatures },
    { when: 'the subscription gives access', subscription: 'active', license: 'active', features: standardFeatures },
    { when: 'the subscription gives none', subscription: 'canceled', license: 'active', features: freeFeatures },
  ])(
    'are those of the subscription, or otherwise of the license, if $when',
    async ({ subscription, license, features }) => {
      const user = await (subscription ? subscriber(server, 'standard', '--status', subscription) : signUp(server));
      if (license) {
        const { id } = await issueLicense(server, '--email', user.email, '--plan', 'advanced');
        await server.admin('license', 'set', id, '--status', license);
      }
      expect((await statusOf(user)).features).toStrictEqual(features);
    },
  );
});
