/** Snapshots, licenses and plans for tests of rules: a test states what it needs, the rest has ordinary values. */
import type {
  AccountSnapshot,
  ActivationSnapshot,
  LicenseSnapshot,
  ReleaseSnapshot,
  SubscriptionSnapshot,
} from '../../../server/account-snapshots/account-snapshot.ts';
import type { FeaturesOf, Plan } from '../../../server/plans/plan.service.ts';
import type { Features } from '../../../shared/api/features.ts';
import { noFeatures } from '../../../shared/seeded-features.ts';

export function featuresWith(maxDevices: number, ...on: readonly string[]): Features {
  return { ...noFeatures, ...Object.fromEntries(on.map((name) => [name, true])), max_devices: maxDevices };
}

/** Features by plan: `free`, `small` and `large` each have more than the one before; `other` has what `large` lacks. */
const featuresByPlan: Readonly<Record<string, Features>> = {
  free: featuresWith(1),
  small: featuresWith(2, 'csv_export'),
  large: featuresWith(5, 'csv_export', 'session_recording'),
  other: featuresWith(3, 'api_access'),
  'no features': featuresWith(2),
  'few features': featuresWith(3, 'csv_export'),
  'many features': featuresWith(2, 'csv_export', 'session_recording'),
};

export const featuresOf: FeaturesOf = (plan) => featuresByPlan[plan] ?? featuresWith(1);

export function planNamed(name: string, change: Partial<Plan> = {}): Plan {
  const features = featuresOf(name);
  return {
    id: name,
    name,
    max_devices: features.max_devices,
    new_devices_per_month: 10,
    lease_days: null,
    features,
    created_at: '',
    updated_at: '',
    ...change,
  };
}

/** Returns the plans of `featuresOf`, with the changed ones substituted. */
export function plansWith(...changed: readonly Plan[]): ReadonlyMap<string, Plan> {
  const plans = [...Object.keys(featuresByPlan).map((name) => planNamed(name)), ...changed];
  return new Map(plans.map((plan) => [plan.name, plan]));
}

/** An active subscription that ends only in the far future. */
export function subscriptionTo(plan: string, change: Partial<SubscriptionSnapshot> = {}): SubscriptionSnapshot {
  return {
    id: plan,
    by_typed_email: 0,
    plan,
    status: 'active',
    current_period_start_ms: 0,
    current_period_end_ms: 9e12,
    cancel_at_period_end: 0,
    ...change,
  };
}

/** An active license for two devices that never expires and does not follow a subscription. */
export function licenseFor(plan: string, change: Partial<LicenseSnapshot> = {}): LicenseSnapshot {
  return {
    id: plan,
    user_id: 'ada',
    key_hash: plan,
    key_preview: `preview of ${plan}`,
    plan,
    status: 'active',
    max_activations: 2,
    expires_at_ms: null,
    updates_until_ms: null,
    with_subscription: 0,
    created_at_ms: 0,
    active: [],
    released: [],
    ...change,
  };
}

export function activeOn(deviceId: string): ActivationSnapshot {
  return { id: `activation of ${deviceId}`, deviceId, lastSeenAtMs: 0, leaseEndMs: null };
}

export function releasedFrom(
  deviceId: string,
  releasedAtMs: number,
  leaseEndMs: number | null = null,
): ReleaseSnapshot {
  return { deviceId, releasedAtMs, leaseEndMs };
}

export function accountWith(has: Partial<Pick<AccountSnapshot, 'subscriptions' | 'licenses'>>): AccountSnapshot {
  return { userId: 'ada', passwordChangedAtMs: 0, subscriptions: [], licenses: [], sessions: new Set(), ...has };
}
