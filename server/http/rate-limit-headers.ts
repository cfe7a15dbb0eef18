/** The headers that tell a client about a limit (draft-ietf-httpapi-ratelimit-headers). */
import type { FastifyReply } from 'fastify';
import type { LimitState } from '../errors.ts';
import { windowMs } from '../rate-limits/rate-counter.ts';

/** Replaces what the headers said of another limit. */
export function setLimitHeaders(reply: FastifyReply, { name, limit, remaining, resetSeconds }: LimitState): void {
  reply.header('ratelimit-policy', `"${name}";q=${limit};w=${windowMs / 1000}`);
  reply.header('ratelimit', `"${name}";r=${remaining};t=${resetSeconds}`);
}
