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

/** Returns the limit of an endpoint. In the bucket `default`, every endpoint is counted separately. */
export type RequestLimiter = (bucket: EndpointBucket, endpoint: string) => EndpointLimit;

/**
 * The rate limit of one endpoint. Both functions count a request and note what is left for the response headers. They
 * reject with `RateLimited` above the limit.
 */
export type EndpointLimit = {
  /** A route can take it as its `onRequest` hook. */
  readonly countAddress: (request: FastifyRequest) => Promise<void>;
  readonly countUser: (request: FastifyRequest, userId: string) => Promise<void>;
};

/** Requests per minute for each staff member. */
const staffLimit = 600;

export function createRequestLimiter({ counter, rateLimits }: RequestLimiterDeps): RequestLimiter {
  return (bucket, endpoint) => {
    const name = bucket === 'default' ? endpoint : bucket;
    const limit = bucket === 'admin' ? staffLimit : rateLimits[bucket];
    const count = async (client: string, request: FastifyRequest) => {
      if (limit === 0) return;
      const { allowed, remaining, resetSeconds } = await counter.take(`${name} ${client}`, limit);
      const state = { name, limit, remaining, resetSeconds };
      if (!allowed) throw new RateLimited(state);
      request.limit = state;
    };
    return {
      // A connection that was reset before its request was read has no address.
      countAddress: (request) => count(`address ${rateLimitAddress(request.ip as string | undefined)}`, request),
      countUser: (request, userId) => count(`user ${userId}`, request),
    };
  };
}
