/** The headers that tell a client its rate limit (draft-ietf-httpapi-ratelimit-headers). */
import type { LimitState } from '../errors.ts';
import { windowMs } from '../rate-limits/rate-counter.ts';

export function limitHeaders({ name, limit, remaining, resetSeconds }: LimitState): Record<string, string> {
  return {
    'RateLimit-Policy': `"${name}";q=${limit};w=${windowMs / 1000}`,
    RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
  };
}
