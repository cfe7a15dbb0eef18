/** When an entry of the timeline has what the client knows, so that a replay can begin there; and the clocks at an entry. */
import type { KnownFacts } from '../../shared/ipc/diagnostics.ts';
import type { BootTime, Clock } from './platform.ts';

/** After so many entries or that much time. */
const everyEntries = 250;
const everyMs = 12 * 60 * 60_000;

/** The same moment by each clock of this machine. */
export type Clocks = { readonly wallMs: number; readonly monotonicMs: number; readonly boot: BootTime | null };

export function readClocks(clock: Clock): Clocks {
  return { wallMs: clock.now(), monotonicMs: clock.monotonic(), boot: clock.sinceBoot() };
}

/** How long the machine was asleep, as far as the system says since when it is up. */
export function sleptBetween(before: Clocks, now: Clocks): number {
  if (before.boot === null || now.boot === null) return 0;
  return Math.max(0, Math.round(now.boot.ms - before.boot.ms - (now.monotonicMs - before.monotonicMs)));
}

export class KnownSchedule {
  readonly #clock: Clock;
  /** What the client knows now, once it has read what is stored. */
  #describe: (() => KnownFacts) | null = null;
  #last: { readonly at: Clocks; readonly entriesSince: number } | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What is stored was read: from now on there is something to record, at once. */
  begin(describe: () => KnownFacts): void {
    this.#describe = describe;
  }

  /** The next entry has it, however short ago the last one was. */
  restart(): void {
    this.#last = null;
  }

  get isDue(): boolean {
    if (this.#last === null) return true;
    const { at, entriesSince } = this.#last;
    const { wallMs, monotonicMs } = readClocks(this.#clock);
    // The monotonic clock may stand still in sleep.
    const passedMs = Math.max(monotonicMs - at.monotonicMs, Math.abs(wallMs - at.wallMs));
    return passedMs >= everyMs || entriesSince >= everyEntries;
  }

  /** For an entry that is added now. */
  take(): { readonly known?: KnownFacts } {
    const isDue = this.#describe !== null && this.isDue;
    if (isDue) this.#last = { at: readClocks(this.#clock), entriesSince: 0 };
    if (this.#last !== null) this.#last = { ...this.#last, entriesSince: this.#last.entriesSince + 1 };
    return isDue && this.#describe ? { known: this.#describe() } : {};
  }
}
