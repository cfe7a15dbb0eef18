/**
 * Counts requests in a store shared by several processes, or in this process's memory while the store is unavailable.
 */
import type { Clock } from '../clock.ts';
import { codeOf } from '../errors.ts';
import { ExpiringMap, MemoryRateCounter } from './memory-rate-counter.ts';
import { decideRate, type RateCounter, type RateDecision, type RateStore, type WindowCount } from './rate-counter.ts';

/** Time after a failure before a request tries the store again, in ms. */
const retryAfterMs = 1000;

type SharedRateCounterDeps = {
  readonly store: RateStore;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Called once per outage, with the reason. */
  readonly onOutage: (reason: string) => void;
  readonly onRecovery: () => void;
};

type StoreState =
  | { readonly kind: 'available'; readonly sinceMs: number }
  | { readonly kind: 'unavailable'; readonly failedAtMs: number; readonly isRetrying: boolean };

export class SharedRateCounter implements RateCounter {
  readonly #deps: SharedRateCounterDeps;
  readonly #memory: MemoryRateCounter;
  // Clients at their limit; rejecting them again needs no request to the store.
  readonly #rejected: ExpiringMap<{ readonly endsAtMs: number }>;
  #state: StoreState = { kind: 'available', sinceMs: Number.NEGATIVE_INFINITY };
  #isClosed = false;

  constructor(deps: SharedRateCounterDeps) {
    this.#deps = deps;
    this.#memory = new MemoryRateCounter(deps);
    this.#rejected = new ExpiringMap(deps.clock);
  }

  async take(key: string, limit: number): Promise<RateDecision> {
    const nowMs = this.#deps.clock.monotonic();
    const rejected = this.#rejected.get(key);
    if (rejected) return decideRate({ allowed: false, count: limit, remainingMs: rejected.endsAtMs - nowMs }, limit);
    if (this.#state.kind === 'available') return await this.#takeFromStore(key, limit, nowMs);
    if (!this.#state.isRetrying && nowMs - this.#state.failedAtMs >= retryAfterMs) void this.#retry(key, limit);
    return await this.#memory.take(key, limit);
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#deps.store.close();
  }

  async #takeFromStore(key: string, limit: number, startedAtMs: number): Promise<RateDecision> {
    try {
      return this.#decide(key, limit, await this.#deps.store.take(key, limit));
    } catch (error) {
      // A request that started before a known or past outage says nothing new.
      if (this.#state.kind === 'available' && startedAtMs >= this.#state.sinceMs && !this.#isClosed) {
        this.#state = { kind: 'unavailable', failedAtMs: this.#deps.clock.monotonic(), isRetrying: false };
        this.#deps.onOutage(describeStoreError(error));
      }
      return await this.#memory.take(key, limit);
    }
  }

  /** Runs in the background; the request itself is counted in memory. */
  async #retry(key: string, limit: number): Promise<void> {
    this.#state = { kind: 'unavailable', failedAtMs: this.#deps.clock.monotonic(), isRetrying: true };
    try {
      this.#decide(key, limit, await this.#deps.store.take(key, limit));
      this.#state = { kind: 'available', sinceMs: this.#deps.clock.monotonic() };
      this.#deps.onRecovery();
    } catch {
      this.#state = { kind: 'unavailable', failedAtMs: this.#deps.clock.monotonic(), isRetrying: false };
    }
  }

  #decide(key: string, limit: number, window: WindowCount): RateDecision {
    if (!window.allowed) this.#rejected.set(key, { endsAtMs: this.#deps.clock.monotonic() + window.remainingMs });
    return decideRate(window, limit);
  }
}

/**
 * Describes briefly why a store is unavailable. Omits quoted parts of the message, because some servers repeat the
 * rejected command, which may contain the password.
 */
function describeStoreError(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given';
  if (error.cause instanceof Error) return describeStoreError(error.cause);
  const [beforeQuotation = ''] = error.message.split(/[\n,'"`(]/);
  return beforeQuotation.trim() || codeOf(error) || error.name;
}
