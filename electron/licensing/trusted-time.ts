/**
 * The time by the server's clock. Measured on from its last response, so that this machine's wall clock can neither
 * extend a grace period nor date a response into the future.
 */
import { z } from 'zod';
import type { Clock } from './platform.ts';

/** How far two clocks may differ before it matters. */
export const clockToleranceMs = 5 * 60_000;

/** What is stored: the trusted time, and the wall time at the same moment. */
export const timeReading = z.object({
  trustedMs: z.number(),
  wallMs: z.number(),
  /** Whether the trusted time rests on a time that the server has sent. */
  fromServer: z.boolean(),
});
export type TimeReading = z.infer<typeof timeReading>;

export type TrustedTimeDeps = { readonly clock: Clock };

export class TrustedTime {
  readonly #clock: Clock;
  #last: TimeReading;
  #lastMonotonicMs: number;
  /** The last time that the server has sent to this run of the app. */
  #confirmed: { readonly timeMs: number; readonly monotonicMs: number } | null = null;
  /** A stored reading that the wall clock contradicts, and that no server has sent. */
  #contradicted: TimeReading | null = null;

  constructor({ clock }: TrustedTimeDeps) {
    this.#clock = clock;
    this.#last = { trustedMs: clock.now(), wallMs: clock.now(), fromServer: false };
    this.#lastMonotonicMs = clock.monotonic();
  }

  /** Never goes back until the server sends an earlier time. The wall clock counts as far as it shows that time passed. */
  nowMs(): number {
    this.restore(this.#contradicted);
    const { trustedMs, fromServer } = this.#last;
    const wallMs = this.#clock.now();
    const measuredMs = trustedMs + this.#clock.monotonic() - this.#lastMonotonicMs;
    this.#set({ trustedMs: Math.max(measuredMs, timeByWallClock(this.#last, wallMs)), wallMs, fromServer });
    return this.#last.trustedMs;
  }

  /** To be stored and restored after a restart. */
  reading(): TimeReading {
    this.nowMs();
    return this.#contradicted ?? this.#last;
  }

  /** Whether the wall clock is ahead of the time that the server has sent. */
  get isClockAhead(): boolean {
    return this.#last.fromServer && this.#clock.now() - this.nowMs() > clockToleranceMs;
  }

  /**
   * Whether the time is unknown until the server responds: what is stored rests on the wall clock alone and lies in its
   * future, so the clock is wrong now or was wrong then.
   */
  get isUnknown(): boolean {
    this.nowMs();
    return this.#contradicted !== null;
  }

  /** Continues from a stored reading, unless the server has sent its time since. */
  restore(reading: TimeReading | null): void {
    if (reading === null || this.#confirmed) return;
    const contradicted = !reading.fromServer && reading.trustedMs - this.#clock.now() > clockToleranceMs;
    this.#contradicted = contradicted ? reading : null;
    if (!contradicted) this.#set(reading);
  }

  /** The server has responded; `null` if it sent no time, and then the wall clock counts only if it is not ahead. */
  confirm(serverTimeMs: number | null): void {
    const monotonicMs = this.#clock.monotonic();
    const fromServer = serverTimeMs !== null || this.#last.fromServer;
    this.#set({ trustedMs: serverTimeMs ?? this.#timeWithoutServer(), wallMs: this.#clock.now(), fromServer });
    this.#contradicted = null;
    if (serverTimeMs !== null) this.#confirmed = { timeMs: serverTimeMs, monotonicMs };
  }

  /** The server has changed: only the wall clock is known. */
  forgetServer(): void {
    this.#confirmed = null;
    this.#contradicted = null;
    this.#set({ trustedMs: this.#clock.now(), wallMs: this.#clock.now(), fromServer: false });
  }

  #timeWithoutServer(): number {
    if (this.#confirmed) return this.#confirmed.timeMs + this.#clock.monotonic() - this.#confirmed.monotonicMs;
    return Math.min(this.#clock.now(), this.nowMs());
  }

  #set(reading: TimeReading): void {
    this.#last = reading;
    this.#lastMonotonicMs = this.#clock.monotonic();
  }
}

/**
 * The earliest time with which the wall clock can be explained: it is as wrong as it was, or it has been corrected. A
 * clock that was set back explains nothing.
 */
function timeByWallClock(last: TimeReading, wallMs: number): number {
  const unchanged = last.trustedMs + wallMs - last.wallMs;
  const possible = [unchanged, wallMs].filter((timeMs) => timeMs >= last.trustedMs);
  return possible.length > 0 ? Math.min(...possible) : last.trustedMs;
}
