/** The headers that tell a client about a limit (draft-ietf-httpapi-ratelimit-headers). */
import type { LimitState } from '../errors.ts';
import { windowMs } from '../rate-limits/rate-counter.ts';

/** Names and values in turn, as `writeHead` of Node takes them. */
export function limitHeaders({ name, limit, remaining, resetSeconds }: LimitState): [string, string, string, string] {
  return [
    'RateLimit-Policy',
    `"${name}";q=${limit};w=${windowMs / 1000}`,
    'RateLimit',
    `"${name}";r=${formatCount(remaining)};t=${resetSeconds}`,
  ];
}

const threeDigits = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));

/**
 * As `String`, for whole numbers. V8 keeps the text of every number that it has formatted, in a cache of the old generation:
 * where a limit is high, each request would leave a text there.
 */
function formatCount(count: number): string {
  if (count < 1000) return String(count);
  return `${formatCount(Math.floor(count / 1000))}${threeDigits[count % 1000]}`;
}
