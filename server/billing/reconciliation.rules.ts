/** Compares what a provider states about a subscription with what the server knows about it. */
import { dayMs, secondMs } from '../clock.ts';
import { givesAccess, readSubscriptionStatus } from '../subscriptions/subscription.rules.ts';
import type { SubscriptionRow } from '../subscriptions/subscription.service.ts';
import { isRefunded } from './billing.rules.ts';
import type { ProviderSubscription } from './payment.repository.ts';
import type { ReportedSubscription } from './reported-subscription.ts';

export const findingKinds = ['stale', 'pays_without_access', 'access_without_payment', 'differs'] as const;
export type FindingKind = (typeof findingKinds)[number];

/** What the server knows. */
type Compared = {
  /** `undefined` if the server does not have the subscription, or staff have replaced it with another one. */
  readonly row: SubscriptionRow | undefined;
  /** Its state at the provider. */
  readonly atProvider: ProviderSubscription | undefined;
  /** True if any subscription gives the account access. */
  readonly hasAccess: boolean;
};

/** Returns true if the provider states that the subscription is currently paid. */
function isPaying({ status, periodEndMs }: ReportedSubscription, nowMs: number): boolean {
  return givesAccess({ status, current_period_end_ms: periodEndMs ?? 0 }, nowMs);
}

export function compare(
  reported: ReportedSubscription,
  { row, atProvider, hasAccess }: Compared,
  nowMs: number,
): 'agree' | Exclude<FindingKind, 'stale'> {
  const gives = row !== undefined && givesAccess(row, nowMs);
  if (!isPaying(reported, nowMs)) return gives ? 'access_without_payment' : 'agree';
  if (gives) return isSame(reported, row, nowMs) ? 'agree' : 'differs';
  // The provider's list does not tell that what was paid for the period was given back.
  if (atProvider && isRefunded(atProvider) && !(row && isLater(reported, row))) return 'agree';
  return hasAccess ? 'differs' : 'pays_without_access';
}

function isSame(reported: ReportedSubscription, row: SubscriptionRow, nowMs: number): boolean {
  const isSameStatus = reported.status === readSubscriptionStatus(row, nowMs);
  return reported.plan === row.plan && isSameStatus && isSameEnd(reported, row);
}

/** Returns true if both end at the same time, to the precision of the provider's list. */
export function isSameEnd(
  { periodEndMs, isEndOfDay }: ReportedSubscription,
  { current_period_end_ms }: Pick<SubscriptionRow, 'current_period_end_ms'>,
): boolean {
  return periodEndMs !== null && unitOf(periodEndMs, isEndOfDay) === unitOf(current_period_end_ms, isEndOfDay);
}

/** Similarity of a row and a subscription with the same plan and end. */
export const samePlanAndEnd = 3;

/** Similarity of a row and a subscription that also have the same status. */
export const maxSimilarity = 4;

/**
 * Returns how much a row and a subscription have in common: 2 for the same end, plus 1 for the same plan. The status
 * tells apart what has the same plan and end, as several subscriptions may have once a list was applied.
 */
export function similarity(reported: ReportedSubscription, row: SubscriptionRow): number {
  const planAndEnd = (isSameEnd(reported, row) ? 2 : 0) + (reported.plan === row.plan ? 1 : 0);
  return planAndEnd === samePlanAndEnd && reported.status === row.status ? maxSimilarity : planAndEnd;
}

export function hasSamePlanAndEnd(reported: ReportedSubscription, row: SubscriptionRow): boolean {
  return similarity(reported, row) >= samePlanAndEnd;
}

function isLater({ periodEndMs, isEndOfDay }: ReportedSubscription, row: SubscriptionRow): boolean {
  return unitOf(periodEndMs ?? 0, isEndOfDay) > unitOf(row.current_period_end_ms, isEndOfDay);
}

/** Rounds a time down to the precision of the list: providers state times in seconds, and some lists in days. */
function unitOf(timeMs: number, isDay: boolean): number {
  return Math.floor(timeMs / (isDay ? dayMs : secondMs));
}
