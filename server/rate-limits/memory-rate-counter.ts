/** Counts in the memory of this process. */
import { type RateCounter, type RateVerdict, verdictOf, windowMs } from './rate-counter.ts';

type Window = { readonly endsAt: number; count: number };

/**
 * Counters by key in bounded memory. Clients that have used up their limit are kept apart from the others,
 * so that a flood of new addresses pushes out other newcomers, never a client that is being refused.
 */
export class MemoryRateCounter implements RateCounter {
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

  take(key: string, limit: number): RateVerdict {
    const now = this.#monotonic();
    const window = this.#current(key, now);
    const admitted = window.count < limit;
    if (admitted) window.count += 1;
    if (window.count >= limit && this.#open.delete(key)) this.#remember(this.#full, key, window, now);
    return verdictOf({ admitted, passed: window.count, leftMs: window.endsAt - now }, limit);
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
