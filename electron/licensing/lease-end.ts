/** Notifies of the end of the lease in use, which turns features off, where no sync does that before. */
import type { ChangeNotifier } from './change-notifier.ts';
import type { Lease } from './lease.ts';
import type { Clock, Power } from './platform.ts';
import type { Sync } from './sync.ts';

export type LeaseEndDeps = {
  readonly lease: Pick<Lease, 'goodForMs'>;
  readonly sync: Pick<Sync, 'nextAtMs' | 'isRunning'>;
  readonly clock: Clock;
  readonly power: Power;
  readonly changes: ChangeNotifier;
};

/** The trusted time is read again after that: a timer does not count the time in which the machine sleeps. */
const longestDelayMs = 3_600_000;

export class LeaseEnd {
  readonly #deps: LeaseEndDeps;
  readonly #stopListening: readonly (() => void)[];
  #cancelTimer: (() => void) | null = null;

  constructor(deps: LeaseEndDeps) {
    this.#deps = deps;
    const { changes, power } = deps;
    this.#stopListening = [changes.subscribe(() => this.#wait()), power.onResume(() => changes.notify())];
  }

  /** Stops for good. */
  dispose(): void {
    this.#cancelTimer?.();
    for (const stop of this.#stopListening) stop();
  }

  #wait(): void {
    const { lease, sync, clock, changes } = this.#deps;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    const { goodForMs } = lease;
    if (goodForMs === null || sync.isRunning) return;
    // A sync changes the state itself.
    if (sync.nextAtMs !== null && sync.nextAtMs <= clock.now() + goodForMs) return;
    this.#cancelTimer = clock.setTimer(Math.min(goodForMs, longestDelayMs), () => changes.notify());
  }
}
