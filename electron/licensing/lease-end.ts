/**
 * Covers the time without syncs: notifies listeners when the lease in use expires, which turns features off, and stores
 * the trusted time, so that what was measured survives a restart of the machine.
 */
import type { ChangeNotifier } from './change-notifier.ts';
import type { Lease } from './lease.ts';
import type { LicenseStore } from './license-store.ts';
import type { Clock, Power } from './platform.ts';
import type { Sync } from './sync.ts';
import type { TrustedTime } from './trusted-time.ts';

type LeaseEndDeps = {
  readonly lease: Pick<Lease, 'claims' | 'goodForMs'>;
  readonly store: Pick<LicenseStore, 'update'>;
  readonly trustedTime: Pick<TrustedTime, 'reading'>;
  readonly sync: Pick<Sync, 'nextAtMs' | 'isRunning'>;
  readonly clock: Clock;
  readonly power: Power;
  readonly changes: ChangeNotifier;
};

/** The trusted time is read again after this: a timer does not count the time while the machine sleeps. */
const longestDelayMs = 3_600_000;

export class LeaseEnd {
  readonly #deps: LeaseEndDeps;
  readonly #stopListening: readonly (() => void)[];
  #cancelTimer: (() => void) | null = null;

  constructor(deps: LeaseEndDeps) {
    this.#deps = deps;
    const { changes, power } = deps;
    this.#stopListening = [changes.subscribe(() => this.#wait()), power.onResume(() => this.#pass())];
  }

  /** Stops for good, and stores the time. */
  dispose(): void {
    this.#cancelTimer?.();
    this.#store();
    for (const stop of this.#stopListening) stop();
  }

  #wait(): void {
    const { lease, sync, clock } = this.#deps;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    const { goodForMs } = lease;
    if (goodForMs === null || sync.isRunning) return;
    // A sync updates the state itself.
    if (sync.nextAtMs !== null && sync.nextAtMs <= clock.now() + goodForMs) return;
    this.#cancelTimer = clock.setTimer(Math.min(goodForMs, longestDelayMs), () => this.#pass());
  }

  #pass(): void {
    this.#store();
    this.#deps.changes.notify();
  }

  #store(): void {
    const { lease, sync, store, trustedTime } = this.#deps;
    const isLeftToSync = sync.nextAtMs !== null || sync.isRunning;
    if (lease.claims !== null && !isLeftToSync) void store.update({ time: trustedTime.reading() });
  }
}
