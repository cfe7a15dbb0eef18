/** Applies the rate limits to requests and sets their headers (draft-ietf-httpapi-ratelimit-headers). */
import type { FastifyReply } from 'fastify';
import type { RateBucket } from '../../shared/api/endpoints.ts';
import { errorTable } from '../../shared/api/errors.ts';
import { ApiError } from '../errors.ts';
import { type RateCounter, windowMs } from '../rate-limits/rate-counter.ts';

export type RequestLimiterDeps = {
  readonly counter: RateCounter;
  /** Requests per minute, by bucket; 0 is no limit. */
  readonly rateLimits: Readonly<Record<RateBucket, number>>;
};

/** What a request counts against. */
export type LimitedRequest = {
  readonly bucket: RateBucket;
  /** The endpoint. In the bucket `default`, every endpoint is counted separately. */
  readonly endpoint: string;
  /** The sender, for example `user <id>` or `address 203.0.113.7`. */
  readonly client: string;
};

export class RequestLimiter {
  readonly #deps: RequestLimiterDeps;

  constructor(deps: RequestLimiterDeps) {
    this.#deps = deps;
  }

  /** Counts a request and sets `RateLimit-Policy` and `RateLimit`. Throws `ApiError` RATE_LIMITED over the limit. */
  async count({ bucket, endpoint, client }: LimitedRequest, reply: FastifyReply): Promise<void> {
    const limit = this.#deps.rateLimits[bucket];
    if (limit === 0) return;
    const policy = bucket === 'default' ? endpoint : bucket;
    const { allowed, remaining, resetSeconds } = await this.#deps.counter.take(`${policy} ${client}`, limit);
    reply.header('ratelimit-policy', `"${policy}";q=${limit};w=${windowMs / 1000}`);
    reply.header('ratelimit', `"${policy}";r=${remaining};t=${resetSeconds}`);
    if (!allowed) throw new ApiError('RATE_LIMITED', errorTable.RATE_LIMITED.message, resetSeconds);
  }
}
