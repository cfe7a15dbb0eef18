/** Counts in a store that several processes share; while that cannot be used, in the memory of this process. */
import { MemoryRateCounter } from './memory-rate-counter.ts';
import { type RateCounter, type RateVerdict, verdictOf, type WindowState } from './rate-counter.ts';
import { type RateStore, reasonOf } from './rate-store.ts';
import { RefusedClients } from './refused-clients.ts';

/** How long after a failure the store is tried again, by the next request that comes. */
const tryAgainAfterMs = 1000;

export type OutageListener = {
  /** Called once for each outage. */
  onOutage(reason: string): void;
  onRecovery(): void;
};

export class SharedRateCounter implements RateCounter {
  readonly #store: RateStore;
  readonly #monotonic: () => number;
  readonly #listener: OutageListener;
  readonly #memory: MemoryRateCounter;
  readonly #refused: RefusedClients;
  #isOut = false;
  #isTrying = false;
  /** When the store last failed or recovered. */
  #changedAt = Number.NEGATIVE_INFINITY;

  constructor(store: RateStore, monotonic: () => number, listener: OutageListener) {
    this.#store = store;
    this.#monotonic = monotonic;
    this.#listener = listener;
    this.#memory = new MemoryRateCounter(monotonic);
    this.#refused = new RefusedClients(monotonic);
  }

  take(key: string, limit: number): RateVerdict | Promise<RateVerdict> {
    const leftMs = this.#refused.leftMs(key);
    if (leftMs !== undefined) return verdictOf({ admitted: false, passed: limit, leftMs }, limit);
    if (!this.#isOut) return this.#takeShared(key, limit);
    if (!this.#isTrying && this.#monotonic() - this.#changedAt >= tryAgainAfterMs) void this.#tryAgain(key, limit);
    return this.#memory.take(key, limit);
  }

  async #takeShared(key: string, limit: number): Promise<RateVerdict> {
    const startedAt = this.#monotonic();
    try {
      return this.#judge(key, limit, await this.#store.take(key, limit));
    } catch (error) {
      // What failed of an outage that is over, or known, is no news.
      if (!this.#isOut && startedAt >= this.#changedAt) this.#setOut(true, error);
      return this.#memory.take(key, limit);
    }
  }

  /** Nobody waits for it: the request has its verdict from memory. */
  async #tryAgain(key: string, limit: number): Promise<void> {
    this.#isTrying = true;
    try {
      this.#judge(key, limit, await this.#store.take(key, limit));
      this.#setOut(false);
    } catch {
      this.#changedAt = this.#monotonic();
    } finally {
      this.#isTrying = false;
    }
  }

  #judge(key: string, limit: number, state: WindowState): RateVerdict {
    if (!state.admitted) this.#refused.add(key, state.leftMs);
    return verdictOf(state, limit);
  }

  #setOut(isOut: boolean, error?: unknown): void {
    this.#isOut = isOut;
    this.#changedAt = this.#monotonic();
    if (isOut) this.#listener.onOutage(reasonOf(error));
    else this.#listener.onRecovery();
  }
}
