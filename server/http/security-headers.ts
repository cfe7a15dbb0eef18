/** Headers that every answer carries. */
import type { FastifyReply } from 'fastify';

export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

/** Set before anything else, so that a route (a page) may replace its own policy. */
export function setSecurityHeaders(reply: FastifyReply): void {
  reply.headers(securityHeaders);
}
