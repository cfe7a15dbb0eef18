/** Whether an event of a provider may change its subscription, whatever order events arrive in. */

/**
 * An event that is older than the last one that was applied to the same subscription is outdated; one of the same time is
 * applied. `lastAtMs` is undefined or null where none was.
 */
export function isOutdated(eventAtMs: number, lastAtMs: number | null | undefined): boolean {
  return eventAtMs < (lastAtMs ?? Number.NEGATIVE_INFINITY);
}

type PaidState = {
  readonly refunded_at_ms: number | null;
  readonly paid_at_ms: number | null;
  readonly period_start_ms: number | null;
};

/**
 * Whether what was paid for the subscription was given back: a payment was, and since then neither another one was made nor
 * a new period has begun. It depends on when things happened alone, not on when the server learned of them.
 */
export function isRefunded({ refunded_at_ms, paid_at_ms, period_start_ms }: PaidState): boolean {
  return refunded_at_ms !== null && Math.max(paid_at_ms ?? 0, period_start_ms ?? 0) <= refunded_at_ms;
}

/** The later one of two times, each of which may be unknown. */
export function latest(one: number | null | undefined, other: number | null | undefined): number | null {
  return Math.max(one ?? 0, other ?? 0) || null;
}
