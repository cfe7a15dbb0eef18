/** Reads how long a server asks to be left alone. */

const defaultWaitSeconds = 30;
const longestWaitSeconds = 3600;

/** Whole seconds of a `Retry-After` header (a number or an HTTP date), at least 1 and at most an hour; `null` without one. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  const seconds = /^\d+$/.test(text) ? Number(text) : secondsUntil(text, nowMs);
  if (!Number.isFinite(seconds)) return null;
  return Math.min(longestWaitSeconds, Math.max(1, seconds));
}

/** The wait after a 429, which may have come without the header. */
export function waitAfterTooMany(header: string | undefined, nowMs: number): number {
  return parseRetryAfter(header, nowMs) ?? defaultWaitSeconds;
}

/** An HTTP date begins with the day of the week; `Date.parse` alone would read a date into anything. */
function secondsUntil(date: string, nowMs: number): number {
  return /^[A-Z][a-z]{2,8}, /.test(date) ? Math.ceil((Date.parse(date) - nowMs) / 1000) : Number.NaN;
}
