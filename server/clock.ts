/** The clock that all time-dependent code takes as a parameter, and the range of dates in the API. */
import { ApiError } from './errors.ts';

export const secondMs = 1000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

export type Clock = {
  /** Time of day in ms since 1970. Jumps when the system clock is set. */
  now(): number;
  /** Milliseconds since an arbitrary start; never jumps. Used to measure rate limits and intervals. */
  monotonic(): number;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** Formats a time for the API: ISO 8601 UTC with milliseconds and `Z`. */
export function toIso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** Like `toIso`, but returns null if there is no time. */
export function toIsoOrNull(timeMs: number | null | undefined): string | null {
  return timeMs == null ? null : toIso(timeMs);
}

const earliestMs = Date.UTC(1901, 0, 1);
const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * Returns the time unchanged. Throws `ApiError` VALIDATION_ERROR if a date with a four-digit year cannot express it.
 */
export function validateDate(timeMs: number): number {
  if (Number.isInteger(timeMs) && timeMs >= earliestMs && timeMs <= latestMs) return timeMs;
  throw new ApiError('VALIDATION_ERROR', 'The date must be between the years 1901 and 9999.');
}
