/**
 * Decides when a timeline entry includes what the client knows, so that a replay can begin there; also reads the clocks
 * at an entry.
 */
import type { KnownFacts } from '../../shared/ipc/diagnostics.ts';
import type { BootTime, Clock } from './platform.ts';

/** Maximum distance between such entries, in entries and in time. */
const everyEntries = 250;
const everyMs = 12 * 60 * 60_000;

/** The same moment on each clock of this machine. */
export type Clocks = { readonly wallMs: number; readonly monotonicMs: number; readonly boot: BootTime | null };

export function readClocks(clock: Clock): Clocks {
  return { wallMs: clock.now(), monotonicMs: clock.monotonic(), boot: clock.sinceBoot() };
}

/** Returns how long the machine slept, as far as the system reports its uptime. */
export function sleptBetween(before: Clocks, now: Clocks): number {
  if (before.boot === null || now.boot === null) return 0;
  return Math.max(0, Math.round(now.boot.ms - before.boot.ms - (now.monotonicMs - before.monotonicMs)));
}

export class KnownSchedule {
  readonly #clock: Clock;
  /** Describes what the client knows; `null` until it has read what is stored. */
  #describe: (() => KnownFacts) | null = null;
  #last: { readonly at: Clocks; readonly entriesSince: number } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Called once the stored data was read: the next entry records it. */
  begin(describe: () => KnownFacts): void {
    this.#describe = describe;
  }

  /** Makes the next entry include it, however recent the last one is. */
  restart(): void {
    this.#last = null;
  }

  get isDue(): boolean {
    if (this.#last === null) return true;
    const { at, entriesSince } = this.#last;
    const { wallMs, monotonicMs } = readClocks(this.#clock);
    // The monotonic clock may stop during sleep.
    const passedMs = Math.max(monotonicMs - at.monotonicMs, Math.abs(wallMs - at.wallMs));
    return passedMs >= everyMs || entriesSince >= everyEntries;
  }

  /** Returns what to add to an entry being created. */
  take(): { readonly known?: KnownFacts } {
    const isDue = this.#describe !== null && this.isDue;
    if (isDue) this.#last = { at: readClocks(this.#clock), entriesSince: 0 };
    if (this.#last !== null) this.#last = { ...this.#last, entriesSince: this.#last.entriesSince + 1 };
    return isDue && this.#describe ? { known: this.#describe() } : {};
  }
}
