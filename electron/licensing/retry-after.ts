/** Reads how long a server asks to be left alone. */

const defaultWaitSeconds = 30;
const longestWaitSeconds = 3600;

/** Whole seconds of a `Retry-After` header (a number or an HTTP date), at least 1 and at most an hour; `null` without one. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - nowMs) / 1000);
  if (!Number.isFinite(seconds)) return null;
  return Math.min(longestWaitSeconds, Math.max(1, seconds));
}

/** The wait after a 429, which may have come without the header. */
export function waitAfterTooMany(header: string | undefined, nowMs: number): number {
  return parseRetryAfter(header, nowMs) ?? defaultWaitSeconds;
}
