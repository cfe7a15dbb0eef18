/** Counts requests in the memory of this process. */
import type { Clock } from '../clock.ts';
import { decideRate, type RateCounter, type RateDecision, type WindowCount, windowMs } from './rate-counter.ts';

type MemoryRateCounterDeps = {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Maximum number of remembered clients below their limit, and again at their limit. */
  readonly capacity?: number;
};

type Window = { readonly endsAtMs: number; count: number };

/**
 * Uses bounded memory. Clients at their limit are stored separately from the others, so a flood of new addresses
 * displaces other new clients, never one that is being rejected. A displaced client may use its full limit again, but a
 * client with enough addresses to displace entries can send far more with those anyway.
 */
export class MemoryRateCounter implements RateCounter {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #open: ExpiringMap<Window>;
  readonly #full: ExpiringMap<Window>;

  constructor({ clock, capacity }: MemoryRateCounterDeps) {
    this.#clock = clock;
    this.#open = new ExpiringMap(clock, capacity);
    this.#full = new ExpiringMap(clock, capacity);
  }

  async take(key: string, limit: number): Promise<RateDecision> {
    return decideRate(this.count(key, limit), limit);
  }

  /** Like `take`, but returns the window for another process to decide. */
  count(key: string, limit: number): WindowCount {
    const nowMs = this.#clock.monotonic();
    const window = this.#full.get(key, nowMs) ?? this.#open.get(key, nowMs) ?? this.#startWindow(key, nowMs);
    const allowed = window.count < limit;
    if (allowed) window.count += 1;
    if (window.count >= limit && this.#open.delete(key)) this.#full.set(key, window);
    return { allowed, count: window.count, remainingMs: window.endsAtMs - nowMs };
  }

  async close(): Promise<void> {}

  #startWindow(key: string, nowMs: number): Window {
    const window = { endsAtMs: nowMs + windowMs, count: 0 };
    this.#open.set(key, window);
    return window;
  }
}

const defaultCapacity = 100_000;

/** A map of bounded size whose entries expire. Adding an entry to a full map drops the oldest ones. */
export class ExpiringMap<V extends { readonly endsAtMs: number }> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #capacity: number;
  // In insertion order, which is roughly the order of expiry.
  readonly #entries = new Map<string, V>();
  #setsBeforeSweep = 0;

  constructor(clock: Pick<Clock, 'monotonic'>, capacity: number = defaultCapacity) {
    this.#clock = clock;
    this.#capacity = capacity;
  }

  /** Returns the entry; `undefined` if it has expired. */
  get(key: string, nowMs = this.#clock.monotonic()): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry || nowMs < entry.endsAtMs) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, entry: V): void {
    this.#entries.delete(key);
    if (this.#setsBeforeSweep <= 0 || this.#entries.size >= this.#capacity) this.#sweep();
    this.#setsBeforeSweep -= 1;
    this.#entries.set(key, entry);
  }

  /**
   * Drops expired entries and, if the map is full, the oldest hundredth at once: V8 steps over everything deleted from
   * the front of a map before it finds the first entry.
   */
  #sweep(): void {
    const nowMs = this.#clock.monotonic();
    const spare = Math.ceil(this.#capacity / 100);
    for (const [oldKey, { endsAtMs }] of this.#entries) {
      if (endsAtMs > nowMs && this.#entries.size <= this.#capacity - spare) break;
      this.#entries.delete(oldKey);
    }
    this.#setsBeforeSweep = spare;
  }

  /** Deletes an entry; returns true if it existed. */
  delete(key: string): boolean {
    return this.#entries.delete(key);
  }
}
