/** Headers that every answer carries. */
import type { FastifyReply } from 'fastify';

/** Set before anything else, so that a route (a page) may replace its own policy. */
export function setSecurityHeaders(reply: FastifyReply): void {
  reply.header('x-content-type-options', 'nosniff');
  reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  reply.header('referrer-policy', 'no-referrer');
  reply.header('cache-control', 'no-store');
}
