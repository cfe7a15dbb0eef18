/** Counts requests in the primary process. The requests of one event loop turn are sent to it together. */
import { type RateStore, type WindowCount, withStoreTimeout } from '../rate-limits/rate-counter.ts';
import type { CountRequest, PrimaryMessage, WorkerMessage } from './messages.ts';

type Batch = {
  readonly requests: CountRequest[];
  readonly windows: Promise<readonly WindowCount[]>;
  readonly resolve: (windows: readonly WindowCount[]) => void;
};

export class PrimaryRateStore implements RateStore {
  readonly address = 'the primary process';
  readonly #send: (message: WorkerMessage) => void;
  readonly #sent = new Map<number, Batch>();
  #next: Batch | undefined;
  #number = 0;

  constructor(send: (message: WorkerMessage) => void) {
    this.#send = send;
  }

  async take(key: string, limit: number): Promise<WindowCount> {
    this.#next ??= this.#openBatch();
    const batch = this.#next;
    const position = batch.requests.push([key, limit]) - 1;
    const window = (await batch.windows)[position];
    if (!window) throw new TypeError('the primary process has counted fewer requests than it was sent');
    return window;
  }

  /** Must be called with each response of the primary process. */
  receive({ number, windows }: PrimaryMessage & { kind: 'counted' }): void {
    this.#sent.get(number)?.resolve(windows);
    this.#sent.delete(number);
  }

  async close(): Promise<void> {}

  #openBatch(): Batch {
    const number = ++this.#number;
    const { promise, resolve } = Promise.withResolvers<readonly WindowCount[]>();
    const windows = withStoreTimeout(promise, () => this.#sent.delete(number));
    const batch = { requests: [], windows, resolve };
    setImmediate(() => {
      this.#next = undefined;
      this.#sent.set(number, batch);
      this.#send({ kind: 'count', number, requests: batch.requests });
    });
    return batch;
  }
}
