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

type Window = { readonly endsAt: number; count: number };

/**
 * Counters by key in bounded memory. Clients that have used up their limit are kept apart from the others,
 * so that a flood of new addresses pushes out other newcomers, never a client that is being refused.
 */
export class RateLimiter {
  readonly #monotonic: () => number;
  readonly #capacity: number;
  // Open windows stand in the order in which they end, since all are as long; full ones in the order in which they filled.
  readonly #open = new Map<string, Window>();
  readonly #full = new Map<string, Window>();

  /** `capacity` is how many clients of each of the two sorts are remembered. */
  constructor(monotonic: () => number, capacity = 100_000) {
    this.#monotonic = monotonic;
    this.#capacity = capacity;
  }

  /** Counts one request of `key` against `limit` (1 or more) and says whether it passes. */
  take(key: string, limit: number): RateVerdict {
    const now = this.#monotonic();
    const window = this.#current(key, now);
    const admitted = window.count < limit;
    if (admitted) window.count += 1;
    if (window.count >= limit && this.#open.delete(key)) this.#remember(this.#full, key, window, now);
    return {
      admitted,
      limit,
      remaining: Math.max(0, limit - window.count),
      resetSeconds: Math.max(1, Math.ceil((window.endsAt - now) / 1000)),
    };
  }

  #current(key: string, now: number): Window {
    const known = this.#full.get(key) ?? this.#open.get(key);
    if (known && now < known.endsAt) return known;
    this.#full.delete(key);
    this.#open.delete(key);
    const window = { endsAt: now + windowMs, count: 0 };
    this.#remember(this.#open, key, window, now);
    return window;
  }

  #remember(windows: Map<string, Window>, key: string, window: Window, now: number): void {
    for (const [oldKey, old] of windows) {
      if (old.endsAt > now && windows.size < this.#capacity) break;
      windows.delete(oldKey);
      if (old.endsAt > now) break;
    }
    windows.set(key, window);
  }
}
