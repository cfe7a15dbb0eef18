/** A wall time that never goes back, so that a grace period cannot be stretched by setting the clock back. */
import type { Clock } from './platform.ts';

export type TrustedTime = {
  /** The wall time, or where the highest one seen would stand by now if that is later. */
  readonly nowMs: () => number;
  /** Takes up the highest time seen before the restart. */
  readonly restore: (highestMs: number) => void;
  /** The server was reached: the clock's present time is the one to measure from. */
  readonly confirm: () => void;
};

/** Time that runs on with the monotonic clock from the highest wall time seen. */
export function createTrustedTime(clock: Clock): TrustedTime {
  let anchorMs = clock.now();
  let anchorMonotonicMs = clock.monotonic();

  function anchorAt(timeMs: number): void {
    anchorMs = timeMs;
    anchorMonotonicMs = clock.monotonic();
  }

  return {
    nowMs: () => {
      const runningMs = anchorMs + clock.monotonic() - anchorMonotonicMs;
      if (clock.now() > runningMs) anchorAt(clock.now());
      return Math.max(runningMs, clock.now());
    },
    restore: (highestMs) => anchorAt(Math.max(highestMs, clock.now())),
    confirm: () => anchorAt(clock.now()),
  };
}
