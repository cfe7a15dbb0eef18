/** How what a provider says of a subscription is compared with what the server knows of it. */
import { dayMs, secondMs } from '../clock.ts';
import { givesAccess, readSubscriptionStatus } from '../subscriptions/subscription.rules.ts';
import type { SubscriptionRow } from '../subscriptions/subscription.service.ts';
import { isRefunded } from './billing.rules.ts';
import type { ProviderSubscription } from './payment.repository.ts';
import type { StatedSubscription } from './stated-subscription.ts';

export const findingKinds = ['stale', 'pays_without_access', 'access_without_payment', 'differs'] as const;
export type FindingKind = (typeof findingKinds)[number];

/** What the server knows. */
export type Compared = {
  /** `undefined` if it does not have the subscription, or staff have set another one in its place. */
  readonly row: SubscriptionRow | undefined;
  /** What the provider said of it. */
  readonly said: ProviderSubscription | undefined;
  /** Whether any subscription gives the account access. */
  readonly hasAccess: boolean;
};

/** Whether the provider says that it is paid now. */
function isPaying({ status, periodEndMs }: StatedSubscription, nowMs: number): boolean {
  return givesAccess({ status, current_period_end_ms: periodEndMs ?? 0 }, nowMs);
}

export function compare(
  stated: StatedSubscription,
  { row, said, hasAccess }: Compared,
  nowMs: number,
): 'agree' | Exclude<FindingKind, 'stale'> {
  const gives = row !== undefined && givesAccess(row, nowMs);
  if (!isPaying(stated, nowMs)) return gives ? 'access_without_payment' : 'agree';
  if (gives) return isSame(stated, row, nowMs) ? 'agree' : 'differs';
  // The provider's list does not tell that what was paid for the period was given back.
  if (said && isRefunded(said) && !(row && isLater(stated, row))) return 'agree';
  return hasAccess ? 'differs' : 'pays_without_access';
}

function isSame(stated: StatedSubscription, row: SubscriptionRow, nowMs: number): boolean {
  const isSameStatus = stated.status === readSubscriptionStatus(row, nowMs);
  return stated.plan === row.plan && isSameStatus && isSameEnd(stated, row);
}

/** Whether both end at the same time, as exactly as the provider's list tells it. */
export function isSameEnd(
  { periodEndMs, isEndOfDay }: StatedSubscription,
  { current_period_end_ms }: Pick<SubscriptionRow, 'current_period_end_ms'>,
): boolean {
  return periodEndMs !== null && unitOf(periodEndMs, isEndOfDay) === unitOf(current_period_end_ms, isEndOfDay);
}

/** The likeness of what has the same plan and end. */
export const alike = 3;

/** How much a row and a subscription have in common: 2 for the same end, 1 for the same plan. */
export function likenessOf(stated: StatedSubscription, row: SubscriptionRow): number {
  return (isSameEnd(stated, row) ? 2 : 0) + (stated.plan === row.plan ? 1 : 0);
}

export function isAlike(stated: StatedSubscription, row: SubscriptionRow): boolean {
  return likenessOf(stated, row) === alike;
}

function isLater({ periodEndMs, isEndOfDay }: StatedSubscription, row: SubscriptionRow): boolean {
  return unitOf(periodEndMs ?? 0, isEndOfDay) > unitOf(row.current_period_end_ms, isEndOfDay);
}

/** Providers tell times in seconds, and some lists in days. */
function unitOf(timeMs: number, isDay: boolean): number {
  return Math.floor(timeMs / (isDay ? dayMs : secondMs));
}
