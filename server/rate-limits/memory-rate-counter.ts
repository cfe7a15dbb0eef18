/** Counts in the memory of this process. */
import type { Clock } from '../clock.ts';
import { DisplacedCounts } from './displaced-counts.ts';
import { decideRate, type RateCounter, type RateDecision, type WindowCount, windowMs } from './rate-counter.ts';

export type MemoryRateCounterDeps = {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** How many clients below their limit are remembered, and again how many at their limit. */
  readonly capacity?: number;
  /** See `DisplacedCounts`. */
  readonly seed?: number;
};

type Window = { readonly endsAtMs: number; count: number };

/**
 * Uses bounded memory. Clients at their limit are stored separately from the others, so a flood of new addresses
 * displaces other new clients, never one that is being rejected. What was counted for a client who is displaced all the
 * same stays known, see `DisplacedCounts`: it has no new window before its own is over.
 */
export class MemoryRateCounter implements RateCounter {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #open: ExpiringMap<Window>;
  readonly #full: ExpiringMap<Window>;
  readonly #displaced: DisplacedCounts;

  constructor({ clock, capacity, seed }: MemoryRateCounterDeps) {
    this.#clock = clock;
    this.#open = new ExpiringMap(clock, capacity);
    this.#full = new ExpiringMap(clock, capacity);
    this.#displaced = new DisplacedCounts(seed);
  }

  async take(key: string, limit: number): Promise<RateDecision> {
    return decideRate(this.count(key, limit), limit);
  }

  /** The same, for another process that decides. */
  count(key: string, limit: number): WindowCount {
    const nowMs = this.#clock.monotonic();
    const window = this.#full.get(key, nowMs) ?? this.#open.get(key, nowMs) ?? this.#startWindow(key, nowMs);
    const allowed = window.count < limit;
    if (allowed) window.count += 1;
    if (window.count >= limit && this.#open.delete(key)) this.#store(this.#full, key, window);
    return { allowed, count: window.count, remainingMs: window.endsAtMs - nowMs };
  }

  async close(): Promise<void> {}

  #startWindow(key: string, nowMs: number): Window {
    const { endsAtMs, count } = this.#displaced.find(key, nowMs) ?? { endsAtMs: nowMs + windowMs, count: 0 };
    const window = { endsAtMs, count };
    this.#store(this.#open, key, window);
    return window;
  }

  #store(windows: ExpiringMap<Window>, key: string, window: Window): void {
    const displaced = windows.set(key, window);
    if (displaced) this.#displaced.add(...displaced, this.#clock.monotonic());
  }
}

const defaultCapacity = 100_000;

/** A map of bounded size whose entries expire. Adding an entry to a full map drops the oldest one. */
export class ExpiringMap<V extends { readonly endsAtMs: number }> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #capacity: number;
  // In the order in which they were added, which is about the order in which they expire.
  readonly #entries = new Map<string, V>();

  constructor(clock: Pick<Clock, 'monotonic'>, capacity: number = defaultCapacity) {
    this.#clock = clock;
    this.#capacity = capacity;
  }

  /** `undefined` for an entry that has expired. */
  get(key: string, nowMs = this.#clock.monotonic()): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry || nowMs < entry.endsAtMs) return entry;
    this.#entries.delete(key);
    return undefined;
  }

  /** Returns the entry that was dropped before it expired, if one was. */
  set(key: string, entry: V): [key: string, entry: V] | undefined {
    const nowMs = this.#clock.monotonic();
    let dropped: [string, V] | undefined;
    this.#entries.delete(key);
    for (const [oldKey, old] of this.#entries) {
      const isExpired = old.endsAtMs <= nowMs;
      if (!isExpired && this.#entries.size < this.#capacity) break;
      this.#entries.delete(oldKey);
      if (isExpired) continue;
      dropped = [oldKey, old];
      break;
    }
    this.#entries.set(key, entry);
    return dropped;
  }

  /** Whether there was such an entry. */
  delete(key: string): boolean {
    return this.#entries.delete(key);
  }
}
