/**
 * The entitlement of an account by its subscriptions and license, which a subscription matched by a typed email never
 * reduces.
 */
import { describe, expect, it } from 'vitest';
import type { LicenseSnapshot, SubscriptionSnapshot } from '../../../server/account-snapshots/account-snapshot.ts';
import { decidePlan, describeStatus } from '../../../server/entitlements/entitlement.rules.ts';
import { covers } from '../../../server/plans/plan.rules.ts';
import type { Features } from '../../../shared/api/features.ts';
import { noFeatures } from '../../../shared/seeded-features.ts';
import { accountWith, licenseFor, releasedFrom, subscriptionTo } from '../account-snapshots/snapshots.ts';

const nowMs = 100;
const plans: Readonly<Record<string, Partial<Features>>> = {
  free: { max_devices: 1 },
  small: { max_devices: 3, api_access: true },
  team: { max_devices: 20 },
  bridge: { max_devices: 10, api_access: true, csv_export: true },
  all: { max_devices: 30, api_access: true, csv_export: true },
};
const featuresOf = (plan: string): Features => Object.assign({}, noFeatures, plans[plan]);

type State = { readonly plan: string; readonly isOver?: boolean };

function subscription({ plan, isOver = false }: State, by_typed_email: 0 | 1, id: string): SubscriptionSnapshot {
  return {
    id,
    by_typed_email,
    plan,
    status: 'active',
    current_period_start_ms: 0,
    current_period_end_ms: isOver ? 90 : 200,
    cancel_at_period_end: 0,
  };
}

function license(plan: string, with_subscription: 0 | 1 = 0): LicenseSnapshot {
  return {
    id: plan,
    user_id: 'ada',
    key_hash: plan,
    key_preview: plan,
    plan,
    status: 'active',
    max_activations: 1,
    expires_at_ms: null,
    updates_until_ms: null,
    with_subscription,
    created_at_ms: 0,
    active: [],
    released: [],
  };
}

const states: readonly State[] = Object.keys(plans).flatMap((plan) => [{ plan }, { plan, isOver: true }]);
const none = [undefined] as const;

describe('the plan in force', () => {
  it('gives no less with subscriptions by a typed email than without, whatever else the account has', () => {
    const licenses = [...none, ...Object.keys(plans).map((plan) => license(plan)), license('all', 1)];
    for (const own of [...none, ...states]) {
      for (const held of licenses) {
        const has = {
          subscriptions: own ? [subscription(own, 0, 'own')] : [],
          licenses: held ? [held] : [],
        };
        const without = decidePlan(has, featuresOf, nowMs).plan;
        for (const one of states) {
          for (const other of [...none, ...states]) {
            const typed = [subscription(one, 1, 'typed'), ...(other ? [subscription(other, 1, 'typed too')] : [])];
            const account = { ...has, subscriptions: [...has.subscriptions, ...typed] };
            const plan = decidePlan(account, featuresOf, nowMs).plan;
            const what = JSON.stringify({ own, license: held?.plan, typed: [one, other], without, plan });
            expect(covers(featuresOf(plan), featuresOf(without)), what).toBe(true);
          }
        }
      }
    }
  });

  it('is that of a subscription by a typed email if the account has nothing else', () => {
    const odd = (plan: string): Features => ({ ...featuresOf(plan), csv_export: plan === 'free' });
    for (const subscriptions of [
      [subscription({ plan: 'small' }, 1, 'typed')],
      [subscription({ plan: 'all', isOver: true }, 0, 'own'), subscription({ plan: 'small' }, 1, 'typed')],
    ]) {
      expect(decidePlan({ subscriptions, licenses: [] }, odd, nowMs).plan).toBe('small');
    }
  });
});

describe('without subscriptions by typed emails the plan in force', () => {
  const over = { current_period_end_ms: nowMs };
  it.each<{
    what: string;
    subscriptions: SubscriptionSnapshot[];
    licenses: LicenseSnapshot[];
    plan: string;
    by: string;
  }>([
    { what: 'free for an account that has nothing', subscriptions: [], licenses: [], plan: 'free', by: 'nothing' },
    {
      what: 'that of the subscription, also where the license has a better one',
      subscriptions: [subscriptionTo('small')],
      licenses: [licenseFor('all')],
      plan: 'small',
      by: 'subscription',
    },
    {
      what: 'free where the subscription is over, also beside a license',
      subscriptions: [subscriptionTo('small', over)],
      licenses: [licenseFor('all')],
      plan: 'free',
      by: 'subscription_without_access',
    },
    { what: 'that of a license alone', subscriptions: [], licenses: [licenseFor('team')], plan: 'team', by: 'license' },
    {
      what: 'that of the newest active license',
      subscriptions: [],
      licenses: [licenseFor('all', { status: 'revoked' }), licenseFor('team'), licenseFor('bridge')],
      plan: 'team',
      by: 'license',
    },
    {
      what: 'free where the license is revoked',
      subscriptions: [],
      licenses: [licenseFor('all', { status: 'revoked' })],
      plan: 'free',
      by: 'unusable_license',
    },
    {
      what: 'free where the license needs a subscription',
      subscriptions: [],
      licenses: [licenseFor('all', { with_subscription: 1 })],
      plan: 'free',
      by: 'unusable_license',
    },
  ])('is $what, and says what decides it', ({ subscriptions, licenses, plan, by }) => {
    expect(decidePlan({ subscriptions, licenses }, featuresOf, nowMs)).toStrictEqual({ plan, decided_by: by });
  });
});

describe('a subscription by a typed email', () => {
  const typed = subscriptionTo('small', { by_typed_email: 1 });
  it.each([
    { what: 'counts beside a license that gives no more', held: 'small', plan: 'small', by: 'subscription' },
    { what: 'does not count beside a license with more devices', held: 'team', plan: 'team', by: 'license' },
    { what: 'does not count beside a license that gives more', held: 'all', plan: 'all', by: 'license' },
  ])('$what', ({ held, plan, by }) => {
    const account = { subscriptions: [typed], licenses: [licenseFor(held)] };
    expect(decidePlan(account, featuresOf, nowMs)).toStrictEqual({ plan, decided_by: by });
  });

  it('takes nothing from a license once it is over', () => {
    const over = subscriptionTo('all', { by_typed_email: 1, current_period_end_ms: nowMs });
    expect(decidePlan({ subscriptions: [over], licenses: [licenseFor('small')] }, featuresOf, nowMs).plan).toBe(
      'small',
    );
  });
});

describe('the status of an account', () => {
  it('is the features of the free plan if it has nothing', () => {
    expect(describeStatus(accountWith({}), featuresOf, nowMs)).toStrictEqual({
      has_subscription: false,
      subscription: null,
      license: null,
      features: featuresOf('free'),
    });
  });

  it('has the subscription, the license that is shown and the features of the plan in force', () => {
    const account = accountWith({
      subscriptions: [subscriptionTo('team', { current_period_end_ms: 200 })],
      licenses: [
        licenseFor('all', { expires_at_ms: nowMs }),
        licenseFor('small', { released: [releasedFrom('A', 50, nowMs + 1), releasedFrom('B', 50, nowMs)] }),
      ],
    });
    expect(describeStatus(account, featuresOf, nowMs)).toStrictEqual({
      has_subscription: true,
      subscription: {
        plan: 'team',
        status: 'active',
        current_period_start: '1970-01-01T00:00:00.000Z',
        current_period_end: '1970-01-01T00:00:00.200Z',
        cancel_at_period_end: false,
      },
      license: {
        key_preview: 'preview of small',
        plan: 'small',
        status: 'active',
        activations: 1,
        max_activations: 2,
      },
      features: featuresOf('team'),
    });
  });

  it('has the features of the license if there is no subscription, and shows one that is over', () => {
    const account = accountWith({ licenses: [licenseFor('all')] });
    expect(describeStatus(account, featuresOf, nowMs)).toMatchObject({
      has_subscription: false,
      license: { plan: 'all', status: 'active', activations: 0 },
      features: featuresOf('all'),
    });
    const over = accountWith({ licenses: [licenseFor('all', { expires_at_ms: nowMs })] });
    expect(describeStatus(over, featuresOf, nowMs)).toMatchObject({
      license: { plan: 'all', status: 'expired' },
      features: featuresOf('free'),
    });
  });
});
