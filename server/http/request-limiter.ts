/** Applies the rate limits to requests, and says in each response what is left. */
import type { FastifyRequest } from 'fastify';
import type { EndpointBucket, RateBucket } from '../../shared/api/endpoints.ts';
import { RateLimited } from '../errors.ts';
import type { RateCounter, RateDecision } from '../rate-limits/rate-counter.ts';
import { RecentMap } from '../recent-map.ts';
import { rateLimitAddress } from './network-address.ts';
import { stateOf } from './request-state.ts';

export type RequestLimiterDeps = {
  readonly counter: RateCounter;
  /** Requests per minute, by bucket; 0 is no limit. */
  readonly rateLimits: Readonly<Record<RateBucket, number>>;
};

/** Requests of one member of staff in a minute. */
const staffLimit = 600;

/** How many keys of clients are remembered, so that those of busy clients are not made for each request. */
const maxKeys = 10_000;

export class RequestLimiter {
  readonly #deps: RequestLimiterDeps;

  constructor(deps: RequestLimiterDeps) {
    this.#deps = deps;
  }

  /** The limit of an endpoint. In the bucket `default`, every endpoint is counted separately. */
  limitOf(bucket: EndpointBucket, endpoint: string): EndpointLimit {
    const { rateLimits, counter } = this.#deps;
    const name = bucket === 'default' ? endpoint : bucket;
    return new EndpointLimit({ name, limit: bucket === 'admin' ? staffLimit : rateLimits[bucket], counter });
  }
}

type EndpointLimitDeps = { readonly name: string; readonly limit: number; readonly counter: RateCounter };

/**
 * Both methods count a request and note what is left for the headers of its response. They throw, or reject where the
 * counter is shared, `RateLimited` over the limit.
 */
export class EndpointLimit {
  readonly #deps: EndpointLimitDeps;
  readonly #addressKeys = new RecentMap<string, string>(maxKeys);
  readonly #userKeys = new RecentMap<string, string>(maxKeys);

  constructor(deps: EndpointLimitDeps) {
    this.#deps = deps;
  }

  countAddress(request: FastifyRequest): void | Promise<void> {
    const { name, limit } = this.#deps;
    if (limit === 0) return;
    // A connection that was reset before its request was read has no address.
    const address: string | undefined = request.ip;
    const key = this.#addressKeys.getOrMake(address ?? '', () => `${name} address ${rateLimitAddress(address)}`);
    return this.#count(key, request);
  }

  countUser(request: FastifyRequest, userId: string): void | Promise<void> {
    const { name, limit } = this.#deps;
    if (limit === 0) return;
    return this.#count(
      this.#userKeys.getOrMake(userId, () => `${name} user ${userId}`),
      request,
    );
  }

  #count(key: string, request: FastifyRequest): void | Promise<void> {
    const decision = this.#deps.counter.take(key, this.#deps.limit);
    if (decision instanceof Promise) return decision.then((decided) => this.#apply(decided, request));
    this.#apply(decision, request);
  }

  #apply({ allowed, remaining, resetSeconds }: RateDecision, request: FastifyRequest): void {
    const { name, limit } = this.#deps;
    const state = { name, limit, remaining, resetSeconds };
    if (!allowed) throw new RateLimited(state);
    stateOf(request).limit = state;
  }
}
