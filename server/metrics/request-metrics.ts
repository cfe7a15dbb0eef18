/** Metrics about requests, counted since the start of the process. */
import { Counter, Histogram, type Registry } from '@prometheus-io/client';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Statuses of `POST` requests that mean a refused sign-in, by route. */
const refusedSignIns: Readonly<Record<string, readonly number[]>> = {
  '/api/v1/auth/login': [401, 404],
  '/api/v1/account/session': [401, 404],
  '/api/v1/admin/session': [401],
  '/api/v1/admin/session/passkey': [401],
};

export class RequestMetrics {
  readonly #requests;
  readonly #durations;
  readonly #rateLimited;
  readonly #signInFailures;
  readonly #activations;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#requests = new Counter({
      name: 'latchkey_http_requests_total',
      help: 'Requests by method, route and status.',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'latchkey_http_request_duration_seconds',
      help: 'How long requests took, by method and route.',
      labelNames: ['method', 'route'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    this.#rateLimited = new Counter({
      name: 'latchkey_rate_limited_total',
      help: 'Requests that a rate limit rejected, by limit.',
      labelNames: ['limit'],
      registers,
    });
    this.#signInFailures = new Counter({
      name: 'latchkey_sign_in_failures_total',
      help: 'Sign-ins with a wrong password or email address, those to the account page and the admin page included.',
      registers,
    });
    this.#activations = new Counter({
      name: 'latchkey_activations_total',
      help: 'Successful activations, repeated ones included.',
      registers,
    });
  }

  /** Counts a request that has been answered, under the labels of `describeRoute`. */
  count({ method, route }: RequestRoute, request: FastifyRequest, reply: FastifyReply): void {
    const { statusCode: status, elapsedTime } = reply;
    this.#requests.inc({ method, route, status });
    this.#durations.observe({ method, route }, elapsedTime / 1000);
    if (status === 429) this.#rateLimited.inc({ limit: request.limit?.name ?? 'unknown' });
    if (method !== 'POST') return;
    if (refusedSignIns[route]?.includes(status)) this.#signInFailures.inc();
    if (route === '/api/v1/license/activate' && status === 200) this.#activations.inc();
  }
}

export type RequestRoute = { readonly method: string; readonly route: string };

/**
 * Describes a request by its method and route pattern, never by its URL. An unknown path may come with any method, so
 * both are fixed there: clients must not be able to create an unlimited number of series.
 */
export function describeRoute({ method, routeOptions: { url } }: FastifyRequest): RequestRoute {
  return url === undefined ? { method: 'any', route: 'unknown' } : { method, route: url };
}
