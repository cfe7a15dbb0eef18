/** Headers that every answer carries. */
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Set before anything else, so that a route (a page) may replace its own policy. */
export function setSecurityHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-content-type-options', 'nosniff');
  reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  reply.header('referrer-policy', 'no-referrer');
  if (request.protocol === 'https') reply.header('strict-transport-security', 'max-age=31536000');
  reply.header('cache-control', 'no-store');
}
