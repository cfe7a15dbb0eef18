/** The clock that everything with a notion of time gets as a parameter. */

export type Clock = {
  /** The time of day in milliseconds since 1970; may jump when someone sets it. */
  now(): number;
  /** Milliseconds since some moment; never jumps. Durations of limits are measured on it. */
  monotonic(): number;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** A time of day as the interface writes it: ISO 8601 UTC with milliseconds and `Z`. */
export function toIso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
