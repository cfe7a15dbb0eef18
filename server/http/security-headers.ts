/** Headers that every response carries. */
import type { FastifyReply } from 'fastify';

export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

/** To be called before anything else, so that a route (a page, for example) can replace single headers. */
export function setSecurityHeaders(reply: FastifyReply): void {
  reply.headers(securityHeaders);
}
