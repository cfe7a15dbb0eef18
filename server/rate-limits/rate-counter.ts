/**
 * The common part of all rate counters. A client's first request starts a window of 60 s, in which the limit's number
 * of requests is allowed. Rejected requests are not counted.
 */
import type { LimitState } from '../errors.ts';

export const windowMs = 60_000;

/** Whether a request is allowed, and how much of its limit is left. */
export type RateDecision = Omit<LimitState, 'name'> & { readonly allowed: boolean };

export type RateCounter = {
  /** Counts one request of `key` against `limit` (1 or more). Never fails. */
  take(key: string, limit: number): Promise<RateDecision>;
  close(): Promise<void>;
};

/** A window after a request was counted in it, or rejected. */
export type WindowCount = {
  readonly allowed: boolean;
  /** Number of requests allowed so far. */
  readonly count: number;
  /** The time until the window ends. */
  readonly remainingMs: number;
};

export function decideRate({ allowed, count, remainingMs }: WindowCount, limit: number): RateDecision {
  return {
    allowed,
    limit,
    remaining: Math.max(0, limit - count),
    resetSeconds: Math.max(1, Math.ceil(remainingMs / 1000)),
  };
}

/** A store outside the process, in which several server processes count together. */
export type RateStore = {
  /** The address of the store without user and password, for the log. */
  readonly address: string;
  /**
   * Counts one request atomically, by the clock of the store. Rejects when the store cannot be used or does not respond
   * within about `storeTimeoutMs`.
   */
  take(key: string, limit: number): Promise<WindowCount>;
  close(): Promise<void>;
};

/** Time limit for a store's response, in ms, after which the process counts in its own memory. */
export const storeTimeoutMs = 1000;

const ticks = 10;

/**
 * Returns the result of `work`; if it takes longer than `storeTimeoutMs`, calls `abort` and rejects. Measured in ticks
 * of the event loop: a process that was busy or suspended for a second still reads responses that arrived meanwhile,
 * instead of mistaking its own pause for an outage of the store.
 */
export async function withStoreTimeout<T>(work: Promise<T>, abort: () => void): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  let left = ticks;
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    abort();
    reject(new Error(`no response within ${storeTimeoutMs} ms`));
  }, storeTimeoutMs / ticks);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearInterval(timer);
  }
}
