/** Whether the server can be reached, judged by the results of calls to it. */
import type { Reachability } from '../../shared/ipc/app-state.ts';
import type { Failure } from '../../shared/ipc/result.ts';
import type { ActivityLog } from './activity-log.ts';
import type { ApiResult } from './api-response.ts';
import { toTimestamp } from './failure.ts';
import type { Clock } from './platform.ts';

type ReachabilityTrackerDeps = { readonly activity: ActivityLog; readonly clock: Clock };

/** After waking, the network needs some seconds to come up. */
const wakingMs = 15_000;

export class ReachabilityTracker {
  readonly #deps: ReachabilityTrackerDeps;
  #state: Reachability = { kind: 'unknown' };
  #nextTryAt: string | null = null;
  #lastAnswerAt: string | null = null;
  #wakingUntilMs = Number.NEGATIVE_INFINITY;

  constructor(deps: ReachabilityTrackerDeps) {
    this.#deps = deps;
  }

  get state(): Reachability {
    return this.#state;
  }

  /** When the server last answered since the client started. */
  get lastAnswerAt(): string | null {
    return this.#lastAnswerAt;
  }

  /** Called when the machine suspends or wakes: for 15 seconds, a failed call does not mean that it is offline. */
  expectWaking(): void {
    this.#wakingUntilMs = this.#deps.clock.monotonic() + wakingMs;
  }

  /** True if the machine has just woken. */
  get isWaking(): boolean {
    return this.#deps.clock.monotonic() < this.#wakingUntilMs;
  }

  /** Updates the state from the result of a call, and logs each change between online and offline. */
  record(result: ApiResult<unknown>): void {
    if (result.kind !== 'inconclusive') this.#goOnline();
    else if (!unrelatedCodes.has(result.failure.code)) this.#goOffline(result.failure);
  }

  /** Sets when the server is asked next; `null` if nothing is scheduled. */
  expectNextTry(atMs: number | null): void {
    this.#nextTryAt = atMs === null ? null : toTimestamp(atMs);
    if (this.#state.kind === 'offline') this.#state = { ...this.#state, nextTryAt: this.#nextTryAt };
  }

  /** Called when the server has changed. */
  forget(): void {
    this.#lastAnswerAt = null;
    this.#state = { kind: 'unknown' };
  }

  #goOnline(): void {
    this.#lastAnswerAt = toTimestamp(this.#deps.clock.now());
    if (this.#state.kind === 'offline') this.#deps.activity.add('back-online');
    this.#state = { kind: 'online' };
  }

  #goOffline(failure: Failure): void {
    if (this.#state.kind === 'online' && this.isWaking) return;
    if (this.#state.kind !== 'offline') this.#deps.activity.add('went-offline', failure.code);
    const since = this.#state.kind === 'offline' ? this.#state.since : failure.at;
    this.#state = { kind: 'offline', since, nextTryAt: this.#nextTryAt, failure };
  }
}

/** Failures of a single call that say nothing about whether the server can be reached. */
const unrelatedCodes = new Set<string>(['RATE_LIMITED', 'INTERNAL_ERROR', 'CANCELED']);
