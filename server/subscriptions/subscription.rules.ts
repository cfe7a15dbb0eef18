/** The status of a subscription at a time, and whether it gives access to its plan. */
import type { SubscriptionStatus } from '../database/tables.ts';

export type StoredSubscription = {
  /** The status that was set. */
  readonly status: SubscriptionStatus;
  readonly current_period_end_ms: number;
};

const statusesWithAccess: readonly SubscriptionStatus[] = ['trialing', 'active', 'past_due'];

/** The status now: one that gives access reads `expired` once its period is over; `canceled` stays. */
export function readSubscriptionStatus(subscription: StoredSubscription, nowMs: number): SubscriptionStatus {
  if (!statusesWithAccess.includes(subscription.status)) return subscription.status;
  return nowMs < subscription.current_period_end_ms ? subscription.status : 'expired';
}

/** Whether the user has the plan of the subscription now. */
export function givesAccess(subscription: StoredSubscription, nowMs: number): boolean {
  return statusesWithAccess.includes(readSubscriptionStatus(subscription, nowMs));
}
