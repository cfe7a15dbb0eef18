/**
 * Evaluates a subscription at a given time: its status, whether it gives access to its plan, and its API description.
 */
import type { Subscription } from '../../shared/api/subscription.ts';
import { toIso } from '../clock.ts';
import type { BillingProviderName, SubscriptionSource, SubscriptionStatus, Tables } from '../database/tables.ts';
import { covers } from '../plans/plan.rules.ts';
import type { FeaturesOf } from '../plans/plan.service.ts';

type StoredSubscription = Pick<Tables['subscriptions'], 'status' | 'current_period_end_ms'>;

export const statusesWithAccess: readonly SubscriptionStatus[] = ['trialing', 'active', 'past_due'];

/** Returns the current status: one that gives access reads `expired` once its period is over; `canceled` stays. */
export function readSubscriptionStatus(subscription: StoredSubscription, nowMs: number): SubscriptionStatus {
  if (!statusesWithAccess.includes(subscription.status)) return subscription.status;
  return nowMs < subscription.current_period_end_ms ? subscription.status : 'expired';
}

/** Returns true if the user has the plan of the subscription now. */
export function givesAccess(subscription: StoredSubscription, nowMs: number): boolean {
  return statusesWithAccess.includes(readSubscriptionStatus(subscription, nowMs));
}

type DescribedSubscription = Pick<
  Tables['subscriptions'],
  'plan' | 'status' | 'current_period_start_ms' | 'current_period_end_ms' | 'cancel_at_period_end'
>;

/** Converts a subscription to the API representation. */
export function toSubscription(subscription: DescribedSubscription, nowMs: number): Subscription {
  return {
    plan: subscription.plan,
    status: readSubscriptionStatus(subscription, nowMs),
    current_period_start: toIso(subscription.current_period_start_ms),
    current_period_end: toIso(subscription.current_period_end_ms),
    cancel_at_period_end: subscription.cancel_at_period_end === 1,
  };
}

/** What the choice among subscriptions depends on. */
type Candidate = StoredSubscription & Pick<Tables['subscriptions'], 'id' | 'plan' | 'by_typed_email'>;

/**
 * Returns the subscription that counts: one that gives access before one that does not, then the one with the better
 * plan (more devices, then more features), then the one that lasts longer. A subscription linked to the account only by
 * a typed email, which anyone may have bought, comes after any other whose plan includes something that its own lacks.
 * `undefined` if there is none.
 */
export function chooseSubscription<S extends Candidate>(
  subscriptions: readonly S[],
  featuresOf: FeaturesOf,
  nowMs: number,
): S | undefined {
  const sure = subscriptions.filter((one) => one.by_typed_email === 0 && givesAccess(one, nowMs));
  const rank = (subscription: S): readonly number[] => {
    if (!givesAccess(subscription, nowMs)) return [0, 0, 0, 0, subscription.current_period_end_ms];
    const features = featuresOf(subscription.plan);
    const { max_devices, ...flags } = features;
    const count = Object.values(flags).filter(Boolean).length;
    const takesNothing =
      subscription.by_typed_email === 0 || sure.every(({ plan }) => covers(features, featuresOf(plan)));
    return [1, takesNothing ? 1 : 0, max_devices, count, subscription.current_period_end_ms];
  };
  const isBetter = (one: readonly number[], other: readonly number[]): boolean => {
    const differing = one.findIndex((value, index) => value !== other[index]);
    return differing >= 0 && (one[differing] ?? 0) > (other[differing] ?? 0);
  };
  const [first, ...others] = subscriptions.toSorted((one, other) => (one.id < other.id ? 1 : -1));
  return first && others.reduce((best, next) => (isBetter(rank(next), rank(best)) ? next : best), first);
}

/**
 * Returns the account without subscriptions that are linked to it only by a typed email; the same object if it has
 * none.
 */
export function withoutTypedEmails<
  A extends { readonly subscriptions: readonly Pick<Tables['subscriptions'], 'by_typed_email'>[] },
>(account: A): A {
  const sure = account.subscriptions.filter(({ by_typed_email }) => by_typed_email === 0);
  return sure.length === account.subscriptions.length ? account : { ...account, subscriptions: sure };
}

/** Returns the source for a provider. The billing webhook identifies no subscription, so it sets the account's own. */
export function sourceOf(provider: BillingProviderName): SubscriptionSource {
  return provider === 'webhook' ? 'account' : provider;
}
