/** Runs writes one after the other; those that arrive together become savepoints of one transaction and share its commit. */
import { sql } from 'kysely';
import type { Executor, Transaction } from './database.ts';
import { isUnavailable } from './database-errors.ts';

const maxBatchSize = 200;

type Job = {
  work(transaction: Transaction): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
};

/** The queue in front of the one connection that writes. `run` keeps the promises of `Database.write`. */
export class WriteQueue {
  readonly #writer: Executor;
  readonly #waiting: Job[] = [];
  #running: Promise<void> | undefined;

  constructor(writer: Executor) {
    this.#writer = writer;
  }

  run<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: (value) => resolve(value as T), reject });
      this.#running ??= this.#drain();
    });
  }

  /** Resolves when no write is waiting or running. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // The rest of this turn of the event loop may bring more writes for the same commit.
      await new Promise<void>((resolve) => setImmediate(resolve));
      await this.#runBatch(this.#waiting.splice(0, maxBatchSize));
    }
    this.#running = undefined;
  }

  async #runBatch(jobs: readonly Job[]): Promise<void> {
    try {
      const results = await this.#writer.transaction().execute((transaction) => runInSavepoints(transaction, jobs));
      for (const settle of results) settle();
    } catch (error) {
      for (const job of jobs) job.reject(error);
    }
  }
}

/**
 * Runs each job in a savepoint, and returns one function per job that settles its promise, to be called after the
 * commit. Throws when the transaction as a whole is lost.
 */
async function runInSavepoints(transaction: Transaction, jobs: readonly Job[]): Promise<(() => void)[]> {
  const results: (() => void)[] = [];
  for (const job of jobs) {
    await sql`savepoint job`.execute(transaction);
    try {
      const value = await job.work(transaction);
      results.push(() => job.resolve(value));
    } catch (error) {
      // The whole transaction may be lost, and then there is no savepoint to roll back to.
      if (isUnavailable(error)) throw error;
      await sql`rollback to job`.execute(transaction);
      results.push(() => job.reject(error));
    }
    await sql`release job`.execute(transaction);
  }
  return results;
}
