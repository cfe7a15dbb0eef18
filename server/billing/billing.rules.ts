/** Decides whether a provider's event may change its subscription, in whatever order events arrive. */
import type { SubscriptionStatus, Tables } from '../database/tables.ts';
import { givesAccess } from '../subscriptions/subscription.rules.ts';

/**
 * True if the event is older than the last one applied to the same subscription; one of the same time is applied.
 * `lastAtMs` is undefined or null if there was none.
 */
export function isOutdated(eventAtMs: number, lastAtMs: number | null | undefined): boolean {
  return eventAtMs < (lastAtMs ?? Number.NEGATIVE_INFINITY);
}

type PaidState = Pick<Tables['provider_subscriptions'], 'refunded_at_ms' | 'paid_at_ms' | 'period_start_ms'>;

/**
 * True if the latest payment for the subscription was refunded, and there has been neither another payment nor a new
 * period since. This depends only on when things happened, not on when the server learned of them.
 */
export function isRefunded({ refunded_at_ms, paid_at_ms, period_start_ms }: PaidState): boolean {
  return refunded_at_ms !== null && Math.max(paid_at_ms ?? 0, period_start_ms ?? 0) <= refunded_at_ms;
}

/** Returns the given status of the provider, or `canceled` if it gives access but the payment was refunded. */
export function readStatus(atProvider: PaidState, status: SubscriptionStatus, nowMs: number): SubscriptionStatus {
  const gives = givesAccess({ status, current_period_end_ms: nowMs + 1 }, nowMs);
  return gives && isRefunded(atProvider) ? 'canceled' : status;
}

/** Returns the later of two times, each of which may be unknown. */
export function latest(one: number | null | undefined, other: number | null | undefined): number | null {
  return Math.max(one ?? 0, other ?? 0) || null;
}
