/** Counts requests since the start of the process, by route and status, for the metrics. */
import type { FastifyRequest } from 'fastify';
import { DurationCounts } from '../duration-counts.ts';

export class RequestCounts {
  readonly #routes = new Map<object, RouteCounts>();
  readonly #refusals = new Map<string, number>();

  /** The counts of the route that the request has been sent to. */
  routeOf(request: FastifyRequest): RouteCounts {
    // Fastify passes the same config object with every request of a route, so it serves as the key.
    const { config, url = 'unknown' } = request.routeOptions;
    let counts = this.#routes.get(config);
    if (!counts) {
      // A path that is no route may come with any method, and clients must not be able to make more and more series.
      counts = new RouteCounts(url === 'unknown' ? 'any' : request.method, url);
      this.#routes.set(config, counts);
    }
    return counts;
  }

  /** Counts a request that the rate limit of this name rejected. */
  addRefusal(limit: string): void {
    this.#refusals.set(limit, (this.#refusals.get(limit) ?? 0) + 1);
  }

  get routes(): readonly RouteCounts[] {
    return [...this.#routes.values()];
  }

  get refusals(): ReadonlyMap<string, number> {
    return this.#refusals;
  }

  /** How many `POST` requests to a route had one of these statuses. */
  countPosts(route: string, statuses: readonly number[]): number {
    return this.routes
      .filter((counts) => counts.method === 'POST' && counts.route === route)
      .flatMap(({ byStatus }) => statuses.map((status) => byStatus.get(status) ?? 0))
      .reduce((sum, count) => sum + count, 0);
  }
}

export class RouteCounts {
  readonly method: string;
  /** The pattern of the route; `unknown` for all paths that are none. */
  readonly route: string;
  readonly byStatus = new Map<number, number>();
  readonly durations = new DurationCounts();

  constructor(method: string, route: string) {
    this.method = method;
    this.route = route;
  }

  add(status: number, durationMs: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
    this.durations.add(durationMs);
  }
}
