/** The headers that tell a client what is left (draft-ietf-httpapi-ratelimit-headers). */
import type { FastifyReply } from 'fastify';
import { type RateVerdict, windowMs } from '../rate-limits/rate-counter.ts';

/** Sets `RateLimit-Policy` and `RateLimit`, and `Retry-After` on a refusal. */
export function setRateHeaders(reply: FastifyReply, policy: string, verdict: RateVerdict): void {
  reply.header('ratelimit-policy', `"${policy}";q=${verdict.limit};w=${windowMs / 1000}`);
  reply.header('ratelimit', `"${policy}";r=${verdict.remaining};t=${verdict.resetSeconds}`);
}
