/**
 * The request log. It contains nothing that a client sent: a request is named by its route's pattern, not by its URL, and
 * by its id, which is our own or a trusted proxy's.
 * A line for each request would take a third of a busy server's time, so by default only requests that were refused,
 * failed or were slow have a line of their own, and the others are summarized once a minute. After 500 such lines in a
 * minute the rest goes into the summary as well, so that an attacker cannot fill the disk.
 */
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import type { RequestCounts, RouteCounts } from '../metrics/request-counts.ts';

const slowMs = 1000;
const summaryIntervalMs = 60_000;
const linesPerSummary = 500;

/**
 * Also counts every request for the metrics. Call it before adding routes. The summary of the last, incomplete minute is
 * logged when the app closes.
 */
export function addRequestLog(app: FastifyInstance, counts: RequestCounts, mode: Config['logRequests']): void {
  const summary = new RequestSummary(app.log);
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status, elapsedTime: durationMs } = reply;
    const route = counts.routeOf(request);
    route.add(status, durationMs);
    if (status === 429) counts.addRefusal(request.limit?.name ?? 'unknown');
    if (mode === 'all' || ((status >= 400 || durationMs >= slowMs) && summary.admitsLine())) {
      const fields = { ...describeRequest(request), status, durationMs: round(durationMs) };
      if (status >= 500 || durationMs >= slowMs)
        app.log.warn(fields, status >= 500 ? 'request failed' : 'slow request');
      else app.log.info(fields, status >= 400 ? 'request refused' : 'request');
    } else {
      summary.count(route, status, durationMs);
    }
    done();
  });
  app.addHook('onClose', async () => summary.write());
}

/** The id of the request, its method and the pattern of its route. */
export function describeRequest(request: FastifyRequest): { requestId: string; method: string; route: string } {
  return { requestId: request.id, method: request.method, route: request.routeOptions.url ?? 'unknown' };
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

/** Counts requests by route and status until the minute is over. */
class RequestSummary {
  readonly #logger: FastifyBaseLogger;
  readonly #routes = new Map<RouteCounts, MinuteCounts>();
  #timer: NodeJS.Timeout | undefined;
  #lines = 0;

  constructor(logger: FastifyBaseLogger) {
    this.#logger = logger;
  }

  /** Whether one more request may have a line of its own before the next summary. */
  admitsLine(): boolean {
    this.#startTimer();
    this.#lines += 1;
    return this.#lines <= linesPerSummary;
  }

  count(route: RouteCounts, status: number, durationMs: number): void {
    let counts = this.#routes.get(route);
    if (!counts) {
      counts = new MinuteCounts(`${route.method} ${route.route}`);
      this.#routes.set(route, counts);
    }
    counts.add(status, durationMs);
    this.#startTimer();
  }

  write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lines = 0;
    if (this.#routes.size === 0) return;
    const routes = Object.fromEntries([...this.#routes.values()].map((counts) => [counts.name, counts.summarize()]));
    this.#routes.clear();
    this.#logger.info({ routes }, 'requests');
  }

  /** Without requests there is no timer, so that an idle minute logs nothing. */
  #startTimer(): void {
    this.#timer ??= setTimeout(() => this.write(), summaryIntervalMs).unref();
  }
}

/** Each bucket of durations ends a tenth above the last one; the first ends at a hundredth of a millisecond. */
const bucketGrowth = 1.1;
const firstBucketMs = 0.01;
const bucketCount = Math.ceil(Math.log(slowMs / firstBucketMs) / Math.log(bucketGrowth)) + 1;

class MinuteCounts {
  readonly name: string;
  readonly #byStatus = new Map<number, number>();
  readonly #byDuration = new Uint32Array(bucketCount);
  #total = 0;

  constructor(name: string) {
    this.name = name;
  }

  add(status: number, durationMs: number): void {
    this.#byStatus.set(status, (this.#byStatus.get(status) ?? 0) + 1);
    const bucket = Math.ceil(Math.log(durationMs / firstBucketMs) / Math.log(bucketGrowth));
    const index = Math.min(Math.max(0, bucket), bucketCount - 1);
    this.#byDuration[index] = (this.#byDuration[index] ?? 0) + 1;
    this.#total += 1;
  }

  /** The number of requests by status, and the percentiles of their durations, to within a tenth. */
  summarize() {
    return {
      statuses: Object.fromEntries(this.#byStatus),
      p50Ms: this.#percentile(0.5),
      p99Ms: this.#percentile(0.99),
    };
  }

  #percentile(part: number): number {
    let left = Math.ceil(this.#total * part);
    const bucket = this.#byDuration.findIndex((count) => {
      left -= count;
      return left <= 0;
    });
    return Number((firstBucketMs * bucketGrowth ** bucket).toPrecision(2));
  }
}
