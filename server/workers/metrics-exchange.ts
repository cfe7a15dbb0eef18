/**
 * Lets workers exchange their metrics through the primary process, so that one scrape shows all of them. The
 * `AggregatorRegistry` of the metrics library is not used, because with it a scrape fails if one worker does not respond.
 */
import type { Worker } from 'node:cluster';
import type { MetricsChannel, ProcessMetrics } from '../metrics/metrics.service.ts';
import type { PrimaryMessage, WorkerMessage } from './messages.ts';

/**
 * How long the primary waits for the metrics of the workers, and leaves out those of others: longer than a worker may
 * take to find out that its database does not respond (`database/probe.ts`).
 */
const timeoutMs = 4000;

/** The worker's side. */
export class MetricsExchange implements MetricsChannel {
  readonly #send: (message: WorkerMessage) => void;
  readonly #gatherings = new Map<number, (metrics: readonly ProcessMetrics[]) => void>();
  #readOwn: () => Promise<ProcessMetrics> = async () => [];
  #number = 0;

  constructor(send: (message: WorkerMessage) => void) {
    this.#send = send;
  }

  provide(readOwn: () => Promise<ProcessMetrics>): void {
    this.#readOwn = readOwn;
  }

  readAll(): Promise<readonly ProcessMetrics[]> {
    const number = ++this.#number;
    return new Promise((resolve) => {
      this.#gatherings.set(number, resolve);
      this.#send({ kind: 'gather metrics', number });
    });
  }

  /** Must be called with the primary's messages about metrics. */
  async receive(message: PrimaryMessage & { kind: 'report metrics' | 'gathered metrics' }): Promise<void> {
    if (message.kind === 'report metrics') {
      const metrics = await this.#readOwn().catch(() => []);
      this.#send({ kind: 'metrics', number: message.number, metrics });
    } else {
      this.#gatherings.get(message.number)?.(message.metrics);
      this.#gatherings.delete(message.number);
    }
  }
}

type Gathering = {
  readonly metrics: ProcessMetrics[];
  missing: number;
  readonly end: () => void;
};

/** The primary's side. */
export class MetricsGatherer {
  readonly #send: (worker: Worker, message: PrimaryMessage) => void;
  readonly #gatherings = new Map<number, Gathering>();
  #number = 0;

  constructor(send: (worker: Worker, message: PrimaryMessage) => void) {
    this.#send = send;
  }

  /** Asks all workers, and sends what they report to the one that asked. */
  gather(asker: Worker, askersNumber: number, workers: Iterable<Worker>): void {
    const asked = [...workers];
    const number = ++this.#number;
    const metrics: ProcessMetrics[] = [];
    const end = () => {
      clearTimeout(timer);
      this.#gatherings.delete(number);
      this.#send(asker, { kind: 'gathered metrics', number: askersNumber, metrics });
    };
    const timer = setTimeout(end, timeoutMs);
    this.#gatherings.set(number, { metrics, missing: asked.length, end });
    for (const worker of asked) this.#send(worker, { kind: 'report metrics', number });
  }

  receive({ number, metrics }: WorkerMessage & { kind: 'metrics' }): void {
    const gathering = this.#gatherings.get(number);
    if (!gathering) return;
    gathering.metrics.push(metrics);
    gathering.missing--;
    if (gathering.missing === 0) gathering.end();
  }
}
