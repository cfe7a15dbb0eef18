/** Applies the rate limits to requests, and reports in each response how much is left. */
import type { FastifyRequest } from 'fastify';
import type { EndpointBucket, RateBucket } from '../../shared/api/endpoints.ts';
import { RateLimited } from '../errors.ts';
import { rateLimitAddress } from '../network-address.ts';
import type { RateCounter } from '../rate-limits/rate-counter.ts';

type RequestLimiterDeps = {
  readonly counter: RateCounter;
  /** Requests per minute, by bucket; 0 means no limit. */
  readonly rateLimits: Readonly<Record<RateBucket, number>>;
};

/** Requests per minute for each staff member. */
const staffLimit = 600;

export class RequestLimiter {
  readonly #deps: RequestLimiterDeps;

  constructor(deps: RequestLimiterDeps) {
    this.#deps = deps;
  }

  /** Returns the limit of an endpoint. In the bucket `default`, every endpoint is counted separately. */
  limitOf(bucket: EndpointBucket, endpoint: string): EndpointLimit {
    const { rateLimits, counter } = this.#deps;
    const name = bucket === 'default' ? endpoint : bucket;
    return new EndpointLimit({ name, limit: bucket === 'admin' ? staffLimit : rateLimits[bucket], counter });
  }
}

type EndpointLimitDeps = { readonly name: string; readonly limit: number; readonly counter: RateCounter };

/**
 * The rate limit of one endpoint. Both functions count a request and note what is left for the response headers. They
 * reject with `RateLimited` above the limit.
 */
export class EndpointLimit {
  readonly #deps: EndpointLimitDeps;

  constructor(deps: EndpointLimitDeps) {
    this.#deps = deps;
  }

  /** A function of its own, so that a route can take it as its `onRequest` hook. */
  readonly countAddress = async (request: FastifyRequest): Promise<void> => {
    // A connection that was reset before its request was read has no address.
    const address: string | undefined = request.ip;
    await this.#count(`${this.#deps.name} address ${rateLimitAddress(address)}`, request);
  };

  async countUser(request: FastifyRequest, userId: string): Promise<void> {
    await this.#count(`${this.#deps.name} user ${userId}`, request);
  }

  async #count(key: string, request: FastifyRequest): Promise<void> {
    const { name, limit, counter } = this.#deps;
    if (limit === 0) return;
    const { allowed, remaining, resetSeconds } = await counter.take(key, limit);
    const state = { name, limit, remaining, resetSeconds };
    if (!allowed) throw new RateLimited(state);
    request.limit = state;
  }
}
