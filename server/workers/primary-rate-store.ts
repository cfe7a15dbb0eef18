/** Counts requests in the primary process. The requests of one event loop turn are sent to it together. */
import { createBatchLoader } from '../batch-loader.ts';
import { runWithDeadline } from '../deadline.ts';
import { type RateStore, type WindowCount, withStoreTimeout } from '../rate-limits/rate-counter.ts';
import type { CountRequest, PrimaryMessage, WorkerMessage } from './messages.ts';

/** The primary process responds at once, so nothing waits here for long. */
const noLimits = { maxBatchSize: Infinity, maxRunning: Infinity, maxWaiting: Infinity };

export class PrimaryRateStore implements RateStore {
  readonly address = 'the primary process';
  readonly #send: (message: WorkerMessage) => void;
  readonly #sent = new Map<number, (windows: readonly WindowCount[]) => void>();
  readonly #count = createBatchLoader<CountRequest, WindowCount>({
    run: (requests) => this.#countAll(requests),
    ...noLimits,
  });
  #number = 0;

  constructor(send: (message: WorkerMessage) => void) {
    this.#send = send;
  }

  take(key: string, limit: number): Promise<WindowCount> {
    // Runs without the request's deadline: if the request ends, that must not look like an outage of the store.
    return runWithDeadline(undefined, () => this.#count([key, limit]));
  }

  /** Must be called with each response of the primary process. */
  receive({ number, windows }: PrimaryMessage & { kind: 'counted' }): void {
    this.#sent.get(number)?.(windows);
    this.#sent.delete(number);
  }

  async close(): Promise<void> {}

  #countAll(requests: readonly CountRequest[]): Promise<readonly WindowCount[]> {
    const number = ++this.#number;
    const { promise, resolve } = Promise.withResolvers<readonly WindowCount[]>();
    this.#sent.set(number, resolve);
    this.#send({ kind: 'count', number, requests });
    return withStoreTimeout(promise, () => this.#sent.delete(number));
  }
}
