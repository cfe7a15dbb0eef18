/** Runs writes one after the other; those that arrive together become savepoints of one transaction and share its commit. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { currentBudget, RequestBudget, runWithBudget } from '../request-budget.ts';
import type { Executor, Transaction } from './database.ts';
import { DatabaseUnavailable, isLockHeld, isUnavailable } from './database-errors.ts';

const maxBatchSize = 200;
const lockRetryMs = 20;
const overdueCheckMs = 100;

export type WriteLimits = {
  /** How long a write that no request waits for may wait to begin. */
  readonly timeoutMs: number;
  /** How long a transaction may wait for the lock or take before new writes are refused. */
  readonly patienceMs: number;
  /** How many writes may wait. */
  readonly maxWaiting: number;
};

const defaultLimits: WriteLimits = { timeoutMs: 10_000, patienceMs: 5_000, maxWaiting: 2_000 };

type Job = {
  readonly budget: RequestBudget;
  /** Whether somebody waits for the result, and no longer than the budget lasts. */
  readonly isOfRequest: boolean;
  work(transaction: Transaction): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
};

/**
 * The queue in front of the one connection that writes. `run` keeps the promises of `Database.write`.
 * A write stays in the queue until its transaction has the lock, and never begins after its budget is over.
 */
export class WriteQueue {
  readonly #writer: Executor;
  readonly #limits: WriteLimits;
  #waiting: Job[] = [];
  #running: readonly Job[] = [];
  #draining: Promise<void> | undefined;
  /** Since when writes make no progress. It outlasts a queue that ends without the lock, so that the next writes fail fast. */
  #stuckSinceMs: number | undefined;
  #emptySinceMs = 0;

  constructor(writer: Executor, limits: Partial<WriteLimits> = {}) {
    this.#writer = writer;
    this.#limits = { ...defaultLimits, ...limits };
  }

  run<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const ofRequest = currentBudget();
    const budget = ofRequest ?? new RequestBudget(this.#limits.timeoutMs);
    return new Promise<T>((resolve, reject) => {
      const problem = this.#findProblem(budget);
      if (problem) return reject(problem);
      const isOfRequest = ofRequest !== undefined;
      this.#waiting.push({ budget, isOfRequest, work, resolve: (value) => resolve(value as T), reject });
      this.#draining ??= runWithBudget(undefined, () => this.#drain());
    });
  }

  /** Resolves when no write is waiting or running. */
  async idle(): Promise<void> {
    while (this.#draining) await this.#draining;
  }

  #findProblem(budget: RequestBudget): Error | undefined {
    const problem = budget.problem();
    if (problem) return problem;
    if (this.#waiting.length >= this.#limits.maxWaiting) return unavailable('too many writes are waiting');
    // While nothing is tried, the next write finds out whether the lock is free.
    if (this.#draining && this.#isStuck()) return unavailable('the writes before this one make no progress');
    return undefined;
  }

  #isStuck(): boolean {
    return this.#stuckSinceMs !== undefined && performance.now() - this.#stuckSinceMs > this.#limits.patienceMs;
  }

  async #drain(): Promise<void> {
    // After a pause, nothing is known about the lock any more.
    if (performance.now() - this.#emptySinceMs > this.#limits.patienceMs) this.#stuckSinceMs = undefined;
    const timer = setInterval(() => this.#rejectOverdue(), overdueCheckMs);
    while (this.#waiting.length > 0) {
      // The rest of this turn of the event loop may bring more writes for the same commit.
      await new Promise<void>((resolve) => setImmediate(resolve));
      await this.#runBatch();
    }
    clearInterval(timer);
    this.#emptySinceMs = performance.now();
    this.#draining = undefined;
  }

  async #runBatch(): Promise<void> {
    this.#stuckSinceMs ??= performance.now();
    let hasBegun = false;
    try {
      const results = await this.#writer.transaction().execute((transaction) => {
        hasBegun = true;
        this.#running = this.#takeBatch();
        return runInSavepoints(transaction, this.#running);
      });
      this.#stuckSinceMs = undefined;
      for (const settle of results) settle();
    } catch (error) {
      const isLocked = !hasBegun && isLockHeld(error);
      if (isLocked && !this.#isStuck()) return await sleep(lockRetryMs);
      if (!isLocked) this.#stuckSinceMs = undefined;
      for (const job of hasBegun ? this.#running : this.#waiting.splice(0)) job.reject(error);
    } finally {
      this.#running = [];
    }
  }

  #takeBatch(): Job[] {
    this.#rejectOverdue();
    return this.#waiting.splice(0, maxBatchSize);
  }

  /** Also ends the waiting for running writes: nobody learns any more whether they succeed. */
  #rejectOverdue(): void {
    this.#waiting = this.#waiting.filter((job) => {
      const problem = job.budget.problem();
      if (problem) job.reject(unavailable(problem));
      return problem === undefined;
    });
    for (const { isOfRequest, budget, reject } of this.#running) {
      if (isOfRequest && budget.remainingMs() <= 0) reject(unavailable('the write did not end in time'));
    }
  }
}

function unavailable(reason: string | Error): DatabaseUnavailable {
  return new DatabaseUnavailable(typeof reason === 'string' ? new Error(reason) : reason);
}

/**
 * Runs each job in a savepoint, and returns one function per job that settles its promise, to be called after the
 * commit. Throws when the transaction as a whole is lost.
 */
async function runInSavepoints(transaction: Transaction, jobs: readonly Job[]): Promise<(() => void)[]> {
  const results: (() => void)[] = [];
  for (const job of jobs) {
    const problem = job.budget.problem();
    if (problem) {
      results.push(() => job.reject(unavailable(problem)));
      continue;
    }
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
