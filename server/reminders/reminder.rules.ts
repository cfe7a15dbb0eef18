/** Decides which ends need a reminder. */
import { dayMs } from '../clock.ts';
import type { Tables } from '../database/tables.ts';
import { covers } from '../plans/plan.rules.ts';
import type { FeaturesOf } from '../plans/plan.service.ts';
import { givesAccess } from '../subscriptions/subscription.rules.ts';

type License = Pick<Tables['licenses'], 'status' | 'expires_at_ms' | 'with_subscription'>;
type Subscription = Pick<
  Tables['subscriptions'],
  'id' | 'source' | 'plan' | 'status' | 'current_period_end_ms' | 'cancel_at_period_end'
>;

/** Counts the days left, rounded up: a day and an hour are two days. */
export function countDaysLeft(endsAtMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil((endsAtMs - nowMs) / dayMs));
}

/**
 * Returns true if an ending license needs a reminder: not if it is suspended, or if its subscription ends earlier,
 * because the owner is reminded of that anyway. `subscriptions` are those of its owner that have not been replaced.
 */
export function needsLicenseReminder(license: License, subscriptions: readonly Subscription[], nowMs: number): boolean {
  const { status, expires_at_ms: endsAtMs, with_subscription } = license;
  if (status !== 'active' || endsAtMs === null) return false;
  if (with_subscription === 0) return true;
  return subscriptions.some(
    (one) => givesAccess(one, nowMs) && (!endsForGood(one) || one.current_period_end_ms > endsAtMs),
  );
}

/**
 * Returns true if a subscription will not renew: it was canceled, or is a trial of this server. A trial at a provider
 * continues as a paid subscription.
 */
export function endsForGood({ cancel_at_period_end, status, source }: Subscription): boolean {
  return cancel_at_period_end === 1 || (status === 'trialing' && source === 'account');
}

/**
 * Returns true if an ending subscription needs a reminder: not if the account has another one that gives as much and
 * lasts longer. `subscriptions` are those of the account that have not been replaced.
 */
export function needsSubscriptionReminder(
  subscription: Subscription,
  subscriptions: readonly Subscription[],
  { featuresOf, nowMs }: { readonly featuresOf: FeaturesOf; readonly nowMs: number },
): boolean {
  if (!givesAccess(subscription, nowMs) || !endsForGood(subscription)) return false;
  const features = featuresOf(subscription.plan);
  return !subscriptions.some(
    (other) =>
      givesAccess(other, nowMs) && covers(featuresOf(other.plan), features) && lastsLonger(other, subscription),
  );
}

/** Picks one of two that end at the same time, so that only one reminder is sent. */
function lastsLonger(one: Subscription, other: Subscription): boolean {
  if (!endsForGood(one)) return true;
  const difference = one.current_period_end_ms - other.current_period_end_ms;
  return difference > 0 || (difference === 0 && one.id < other.id);
}
