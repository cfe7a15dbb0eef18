/** Headers that every response carries. */
import type { FastifyReply } from 'fastify';

export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

const entries = Object.entries(securityHeaders);

/** Leaves the headers that a route (a page, for example) has set itself. */
export function addSecurityHeaders(reply: FastifyReply): void {
  for (const [name, value] of entries) if (!reply.hasHeader(name)) reply.header(name, value);
}
