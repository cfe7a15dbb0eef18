/** The headers of every response: security, the request's id, and the remaining rate limit. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { LimitState } from '../errors.ts';
import { windowMs } from '../rate-limits/rate-counter.ts';
import { requestIdHeader } from './request-id.ts';

export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

const entries = Object.entries(securityHeaders);

/** Adds the security headers, except those that a route (a page, for example) has set itself. */
export function addSecurityHeaders(reply: FastifyReply): void {
  for (const [name, value] of entries) if (!reply.hasHeader(name)) reply.header(name, value);
}

export function addCommonHeaders(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    addSecurityHeaders(reply);
    reply.header(requestIdHeader, request.id);
    if (request.limit) reply.headers(limitHeaders(request.limit));
    done();
  });
}

/** Returns the headers that report the rate limit to a client (draft-ietf-httpapi-ratelimit-headers). */
function limitHeaders({ name, limit, remaining, resetSeconds }: LimitState): Record<string, string> {
  return {
    'RateLimit-Policy': `"${name}";q=${limit};w=${windowMs / 1000}`,
    RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
  };
}
