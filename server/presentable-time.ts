/** Keeps times that an admin gives within what the interface can write: years of four digits. */
import { ApiError } from './api-error.ts';

const earliestMs = Date.UTC(1901, 0, 1);
const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** The time as it is. Throws `ApiError` VALIDATION_ERROR for one that no ISO 8601 timestamp of four-digit years can say. */
export function requirePresentableTime(timeMs: number): number {
  if (Number.isInteger(timeMs) && timeMs >= earliestMs && timeMs <= latestMs) return timeMs;
  throw new ApiError('VALIDATION_ERROR', 'A date must be one of the years 1901 to 9999.');
}
