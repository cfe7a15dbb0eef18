/**
 * The request log. It contains nothing that a client sent: a request is identified by its route pattern rather than its
 * URL, and by its id, which is our own or a trusted proxy's.
 *
 * A line for every request would take a third of a busy server's time, so by default only requests that were refused,
 * failed or were slow get their own line, and the others are summarized once a minute. Beyond 500 such lines in a
 * minute, these requests go into the summary as well, so that an attacker cannot fill the disk.
 */
import { createHistogram } from 'node:perf_hooks';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import { describeRoute, type RequestMetrics, type RequestRoute } from '../metrics/request-metrics.ts';
import type { Cancel, Scheduler } from '../scheduler.ts';
import type { Config } from '../settings/config.ts';

const slowMs = 1000;
const summaryIntervalMs = 60_000;
const linesPerSummary = 500;

type RequestLogDeps = {
  readonly metrics: RequestMetrics;
  readonly scheduler: Scheduler;
  readonly mode: Config['logRequests'];
};

/**
 * Adds the log, which also counts every request for the metrics. Must be called before routes are added. The summary of
 * the last, incomplete minute is logged when the app closes.
 */
export function addRequestLog(app: FastifyInstance, { metrics, scheduler, mode }: RequestLogDeps): void {
  const summary = new RequestSummary(app.log, scheduler);
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status, elapsedTime: durationMs } = reply;
    const described = describeRoute(request);
    metrics.count(described, request, reply);
    if (mode === 'all' || ((status >= 400 || durationMs >= slowMs) && summary.admitsLine())) {
      const fields = { ...describeRequest(request), status, durationMs: round(durationMs) };
      if (status >= 500 || durationMs >= slowMs)
        app.log.warn(fields, status >= 500 ? 'request failed' : 'slow request');
      else app.log.info(fields, status >= 400 ? 'request refused' : 'request');
    } else {
      summary.count(described, status, durationMs);
    }
    done();
  });
  app.addHook('onClose', async () => summary.write());
}

/** Returns the request's id, method and route pattern. */
export function describeRequest(request: FastifyRequest): { requestId: string; method: string; route: string } {
  return { requestId: request.id, method: request.method, route: request.routeOptions.url ?? 'unknown' };
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

/** Counts requests by route and status until the minute is over. */
class RequestSummary {
  readonly #logger: FastifyBaseLogger;
  readonly #routes = new Map<string, MinuteCounts>();
  readonly #scheduler: Scheduler;
  #cancel: Cancel | undefined;
  #lines = 0;

  constructor(logger: FastifyBaseLogger, scheduler: Scheduler) {
    this.#logger = logger;
    this.#scheduler = scheduler;
  }

  /** Returns true if another request may be logged on its own line before the next summary. */
  admitsLine(): boolean {
    this.#startTimer();
    this.#lines += 1;
    return this.#lines <= linesPerSummary;
  }

  count({ method, route }: RequestRoute, status: number, durationMs: number): void {
    const name = `${method} ${route}`;
    const counts = this.#routes.get(name) ?? new MinuteCounts();
    this.#routes.set(name, counts);
    counts.add(status, durationMs);
    this.#startTimer();
  }

  write(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#lines = 0;
    if (this.#routes.size === 0) return;
    const routes = Object.fromEntries([...this.#routes].map(([name, counts]) => [name, counts.summarize()]));
    this.#routes.clear();
    this.#logger.info({ routes }, 'requests');
  }

  /** The timer runs only while there are requests, so an idle minute logs nothing. */
  #startTimer(): void {
    this.#cancel ??= this.#scheduler.timeout(summaryIntervalMs, () => this.write());
  }
}

class MinuteCounts {
  readonly #byStatus = new Map<number, number>();
  readonly #durationsUs = createHistogram();

  add(status: number, durationMs: number): void {
    this.#byStatus.set(status, (this.#byStatus.get(status) ?? 0) + 1);
    this.#durationsUs.record(Math.max(1, Math.round(durationMs * 1000)));
  }

  /** Returns the number of requests by status, and percentiles of their durations. */
  summarize() {
    return {
      statuses: Object.fromEntries(this.#byStatus),
      p50Ms: this.#durationsUs.percentile(50) / 1000,
      p99Ms: this.#durationsUs.percentile(99) / 1000,
    };
  }
}
