/** A clock that advances only when a test advances it. */
import type { Clock } from '../../server/clock.ts';

export type FakeClock = Clock & {
  /** Advances both the time of day and the monotonic clock. */
  advance(milliseconds: number): void;
  /** Sets only the time of day, as a user or NTP does. */
  setNow(timeMs: number): void;
};

/** Start time of fake clocks; deliberately not a round number. */
export const testStartMs = Date.UTC(2026, 2, 3, 4, 5, 6, 789);

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

export function createFakeClock(startMs = testStartMs): FakeClock {
  let nowMs = startMs;
  let monotonicMs = 5_000;
  return {
    now: () => nowMs,
    monotonic: () => monotonicMs,
    advance(milliseconds) {
      nowMs += milliseconds;
      monotonicMs += milliseconds;
    },
    setNow(timeMs) {
      nowMs = timeMs;
    },
  };
}
