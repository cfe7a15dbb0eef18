/** Writes in a row: those that arrive together become savepoints of one transaction and share its commit. */
import { type Kysely, sql } from 'kysely';
import type { Transaction } from './database.ts';
import { isUnavailable } from './database-errors.ts';
import type { Tables } from './tables.ts';

const largestBatch = 200;

type Job = {
  work(transaction: Transaction): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
};

/** Runs writes on the one connection that writes; see `Database.write` for what it promises. */
export class WriteQueue {
  readonly #writer: Kysely<Tables>;
  readonly #waiting: Job[] = [];
  #running: Promise<void> | undefined;

  constructor(writer: Kysely<Tables>) {
    this.#writer = writer;
  }

  run<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: (value) => resolve(value as T), reject });
      this.#running ??= this.#drain();
    });
  }

  /** Resolves when nothing waits and nothing runs. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      // The rest of this turn of the event loop may bring more writes for the same commit.
      await new Promise<void>((resolve) => setImmediate(resolve));
      await this.#runBatch(this.#waiting.splice(0, largestBatch));
    }
    this.#running = undefined;
  }

  async #runBatch(jobs: readonly Job[]): Promise<void> {
    try {
      const answers = await this.#writer.transaction().execute((transaction) => runInSavepoints(transaction, jobs));
      for (const answer of answers) answer();
    } catch (error) {
      for (const job of jobs) job.reject(error);
    }
  }
}

/** Runs each job; what it answers is held back until the commit. Throws when the transaction as a whole is lost. */
async function runInSavepoints(transaction: Transaction, jobs: readonly Job[]): Promise<(() => void)[]> {
  const answers: (() => void)[] = [];
  for (const job of jobs) {
    await sql`savepoint job`.execute(transaction);
    try {
      const value = await job.work(transaction);
      answers.push(() => job.resolve(value));
    } catch (error) {
      // The database may have given up the whole transaction: then there is no savepoint to go back to.
      if (isUnavailable(error)) throw error;
      await sql`rollback to job`.execute(transaction);
      answers.push(() => job.reject(error));
    }
    await sql`release job`.execute(transaction);
  }
  return answers;
}
