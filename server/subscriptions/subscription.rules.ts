/** What a subscription reads as at a moment, and whether it gives access then (decisions "Plans, subscriptions, licenses"). */
import type { SubscriptionStatus } from '../database/tables.ts';

export type SubscriptionFacts = {
  /** As it was set. */
  readonly status: SubscriptionStatus;
  readonly current_period_end_ms: number;
};

const accessGiving: readonly SubscriptionStatus[] = ['trialing', 'active', 'past_due'];

/** The status now: one that gives access reads `expired` once its period is over; `canceled` stays. */
export function readSubscriptionStatus(subscription: SubscriptionFacts, nowMs: number): SubscriptionStatus {
  if (!accessGiving.includes(subscription.status)) return subscription.status;
  return nowMs < subscription.current_period_end_ms ? subscription.status : 'expired';
}

/** Whether the plan of the subscription is to be had now. */
export function givesAccess(subscription: SubscriptionFacts, nowMs: number): boolean {
  return accessGiving.includes(readSubscriptionStatus(subscription, nowMs));
}
