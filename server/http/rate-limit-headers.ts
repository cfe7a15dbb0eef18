/** The headers that tell a client about a limit (draft-ietf-httpapi-ratelimit-headers). */
import type { LimitState } from '../errors.ts';
import { windowMs } from '../rate-limits/rate-counter.ts';

/** Names and values in turn, as `writeHead` of Node takes them. */
export function limitHeaders({ name, limit, remaining, resetSeconds }: LimitState): [string, string, string, string] {
  return [
    'RateLimit-Policy',
    `"${name}";q=${limit};w=${windowMs / 1000}`,
    'RateLimit',
    `"${name}";r=${remaining};t=${resetSeconds}`,
  ];
}
