/** A wall time that never goes back, so that setting the clock back does not extend a grace period. */
import type { Clock } from './platform.ts';

export type TrustedTimeDeps = { readonly clock: Clock };

export class TrustedTime {
  readonly #clock: Clock;
  #anchorMs: number;
  #anchorMonotonicMs: number;

  constructor({ clock }: TrustedTimeDeps) {
    this.#clock = clock;
    this.#anchorMs = clock.now();
    this.#anchorMonotonicMs = clock.monotonic();
  }

  /** The wall time, or the highest one seen plus the time since then, whichever is later. */
  nowMs(): number {
    const elapsedMs = this.#clock.monotonic() - this.#anchorMonotonicMs;
    const wallMs = this.#clock.now();
    if (wallMs > this.#anchorMs + elapsedMs) this.#anchorAt(wallMs);
    return Math.max(this.#anchorMs + this.#clock.monotonic() - this.#anchorMonotonicMs, wallMs);
  }

  /** Continues from the highest time seen before the restart. */
  restore(highestMs: number): void {
    this.#anchorAt(Math.max(highestMs, this.#clock.now()));
  }

  /** The server was reached: from now on the present wall time counts, even if it is earlier. */
  confirm(): void {
    this.#anchorAt(this.#clock.now());
  }

  #anchorAt(timeMs: number): void {
    this.#anchorMs = timeMs;
    this.#anchorMonotonicMs = this.#clock.monotonic();
  }
}
