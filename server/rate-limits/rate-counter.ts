/** Counts requests in fixed windows: a client's first request opens a window of 60 s, and so many pass in it. */

export const windowMs = 60_000;

export type RateVerdict = {
  readonly admitted: boolean;
  readonly limit: number;
  /** How many more pass in this window. */
  readonly remaining: number;
  /** Until the window ends, in whole seconds, at least 1. A client that waits so long is admitted. */
  readonly resetSeconds: number;
};

export type RateCounter = {
  /** Counts one request of `key` against `limit` (1 or more) and says whether it passes. Never fails. */
  take(key: string, limit: number): RateVerdict | Promise<RateVerdict>;
};

/** What a window says once a request was counted in it. */
export type WindowState = {
  readonly admitted: boolean;
  /** How many have passed in it. */
  readonly passed: number;
  /** Until it ends. */
  readonly leftMs: number;
};

export function verdictOf({ admitted, passed, leftMs }: WindowState, limit: number): RateVerdict {
  return {
    admitted,
    limit,
    remaining: Math.max(0, limit - passed),
    resetSeconds: Math.max(1, Math.ceil(leftMs / 1000)),
  };
}
