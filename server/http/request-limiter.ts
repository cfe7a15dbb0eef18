/** Applies the rate limits to requests, and says in each response what is left. */
import type { FastifyReply } from 'fastify';
import type { RateBucket } from '../../shared/api/endpoints.ts';
import { RateLimited } from '../errors.ts';
import type { RateCounter } from '../rate-limits/rate-counter.ts';
import { setLimitHeaders } from './rate-limit-headers.ts';

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

  /** Counts a request and sets the headers of its limit. Throws `RateLimited` over the limit. */
  async count({ bucket, endpoint, client }: LimitedRequest, reply: FastifyReply): Promise<void> {
    const limit = this.#deps.rateLimits[bucket];
    if (limit === 0) return;
    const name = bucket === 'default' ? endpoint : bucket;
    const { allowed, remaining, resetSeconds } = await this.#deps.counter.take(`${name} ${client}`, limit);
    const state = { name, limit, remaining, resetSeconds };
    if (!allowed) throw new RateLimited(state);
    setLimitHeaders(reply, state);
  }
}
