/** What a subscription that only a typed email ties to an account changes: nothing that the account has without it. */
import { describe, expect, it } from 'vitest';
import type { LicenseSnapshot, SubscriptionSnapshot } from '../../../server/account-snapshots/account-snapshot.ts';
import { planInForce } from '../../../server/entitlements/entitlement.rules.ts';
import { covers } from '../../../server/plans/plan.rules.ts';
import type { Features } from '../../../shared/api/features.ts';
import { noFeatures } from '../../../shared/seeded-features.ts';

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
  it('gives no less with subscriptions by a typed email than without them, whatever else the account has', () => {
    const licenses = [...none, ...Object.keys(plans).map((plan) => license(plan)), license('all', 1)];
    for (const own of [...none, ...states]) {
      for (const held of licenses) {
        const has = {
          subscriptions: own ? [subscription(own, 0, 'own')] : [],
          licenses: held ? [held] : [],
        };
        const without = planInForce(has, featuresOf, nowMs);
        for (const one of states) {
          for (const other of [...none, ...states]) {
            const typed = [subscription(one, 1, 'typed'), ...(other ? [subscription(other, 1, 'typed too')] : [])];
            const account = { ...has, subscriptions: [...has.subscriptions, ...typed] };
            const plan = planInForce(account, featuresOf, nowMs);
            const what = JSON.stringify({ own, license: held?.plan, typed: [one, other], without, plan });
            expect(covers(featuresOf(plan), featuresOf(without)), what).toBe(true);
          }
        }
      }
    }
  });

  it('is that of a subscription by a typed email where the account has nothing else', () => {
    const odd = (plan: string): Features => ({ ...featuresOf(plan), csv_export: plan === 'free' });
    for (const subscriptions of [
      [subscription({ plan: 'small' }, 1, 'typed')],
      [subscription({ plan: 'all', isOver: true }, 0, 'own'), subscription({ plan: 'small' }, 1, 'typed')],
    ]) {
      expect(planInForce({ subscriptions, licenses: [] }, odd, nowMs)).toBe('small');
    }
  });
});
