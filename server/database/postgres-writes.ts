/** Runs the writes on PostgreSQL: a limited number of transactions at a time; the others wait for their turn. */
import { setTimeout as sleep } from 'node:timers/promises';
import { BudgetExceeded, currentBudget, RequestBudget } from '../request-budget.ts';
import type { Executor, Transaction } from './database.ts';
import { DatabaseUnavailable, isRetryable, isUnavailable } from './database-errors.ts';
import { createCommitHistogram, type WriteStatistics } from './write-statistics.ts';

export type PostgresWriteLimits = {
  /** How many transactions run at the same time, not counting slow ones. */
  readonly concurrency: number;
  /** How many slow ones there may be besides. */
  readonly maxSlow: number;
  /** From when on a transaction counts as slow: most likely it waits for a lock, which must not stop all other writes. */
  readonly slowMs: number;
  /** How many writes may wait. */
  readonly maxWaiting: number;
  /** How long a write outside of a request may wait to begin. */
  readonly timeoutMs: number;
  /** How long writes may fail or make no progress before new ones are refused while others are being tried. */
  readonly patienceMs: number;
};

export const defaultWriteLimits: PostgresWriteLimits = {
  concurrency: 6,
  maxSlow: 6,
  slowMs: 250,
  maxWaiting: 2_000,
  timeoutMs: 10_000,
  patienceMs: 5_000,
};

const overdueCheckMs = 100;
const maxTries = 20;
const retryPauseMs = 5;
const maxRetryPauseMs = 100;

type Waiting = { readonly budget: RequestBudget; begin(): void; refuse(error: Error): void };

/** `run` implements `Database.write`. */
export class PostgresWrites implements WriteStatistics {
  readonly commits = createCommitHistogram();
  readonly #writer: Executor;
  readonly #limits: PostgresWriteLimits;
  /** Slow ones not included. */
  #running = 0;
  #slow = 0;
  #waiting: Waiting[] = [];
  #overdueTimer: NodeJS.Timeout | undefined;
  #whenIdle: (() => void)[] = [];
  /** Since when writes have been tried without any that succeeded or failed because of its own work. */
  #stuckSinceMs: number | undefined;

  constructor(writer: Executor, limits: Partial<PostgresWriteLimits> = {}) {
    this.#writer = writer;
    this.#limits = { ...defaultWriteLimits, ...limits };
  }

  /** Runs `work` again from the beginning when PostgreSQL ends its transaction because of a conflict with another one. */
  async run<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const ofRequest = currentBudget();
    await this.#enter(ofRequest ?? new RequestBudget(this.#limits.timeoutMs));
    const turn = this.#startTurn();
    try {
      const result = await this.#try(work, ofRequest);
      this.#stuckSinceMs = undefined;
      return result;
    } catch (error) {
      if (!isUnavailable(error)) this.#stuckSinceMs = undefined;
      throw error;
    } finally {
      turn.end();
    }
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when no write is waiting or running. */
  async idle(): Promise<void> {
    while (this.#running + this.#slow > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  async #try<T>(work: (transaction: Transaction) => Promise<T>, budget: RequestBudget | undefined): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        const startedMs = performance.now();
        const result = await this.#writer.transaction().execute(work);
        this.commits.observe((performance.now() - startedMs) / 1000);
        return result;
      } catch (error) {
        if (error instanceof BudgetExceeded) throw new DatabaseUnavailable(error);
        if (tries >= maxTries || !isRetryable(error) || budget?.problem()) throw error;
        await sleep(Math.min(tries * retryPauseMs, maxRetryPauseMs));
      }
    }
  }

  /** Waits for a turn. Throws `DatabaseUnavailable` if there is none in time. */
  async #enter(budget: RequestBudget): Promise<void> {
    const problem = this.#findProblem(budget);
    if (problem) throw new DatabaseUnavailable(problem);
    this.#stuckSinceMs ??= performance.now();
    if (this.#running < this.#limits.concurrency) {
      this.#running++;
      return;
    }
    await new Promise<void>((begin, refuse) => {
      this.#waiting.push({ budget, begin, refuse });
      this.#overdueTimer ??= setInterval(() => this.#refuseOverdue(), overdueCheckMs);
    });
  }

  /** Passes the turn on when it ends, or when it turns out to be slow. */
  #startTurn(): { end(): void } {
    let isSlow = false;
    const timer = setTimeout(() => {
      if (this.#slow >= this.#limits.maxSlow) return;
      isSlow = true;
      this.#slow++;
      this.#leave();
    }, this.#limits.slowMs);
    return {
      end: () => {
        clearTimeout(timer);
        if (isSlow) this.#slow--;
        else this.#leave();
        if (this.#running + this.#slow === 0) this.#noteIdle();
      },
    };
  }

  #leave(): void {
    this.#refuseOverdue();
    const next = this.#waiting.shift();
    if (next) next.begin();
    else this.#running--;
  }

  #noteIdle(): void {
    this.#stuckSinceMs = undefined;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #findProblem(budget: RequestBudget): Error | undefined {
    const problem = budget.problem();
    if (problem) return problem;
    if (this.#waiting.length >= this.#limits.maxWaiting) return new Error('too many writes are waiting');
    const isStuck =
      this.#stuckSinceMs !== undefined && performance.now() - this.#stuckSinceMs > this.#limits.patienceMs;
    // While nothing is tried, the next write finds out whether the database can be used.
    return isStuck && this.#running + this.#slow > 0
      ? new Error('the writes before this one make no progress')
      : undefined;
  }

  #refuseOverdue(): void {
    this.#waiting = this.#waiting.filter(({ budget, refuse }) => {
      const problem = budget.problem();
      if (problem) refuse(new DatabaseUnavailable(problem));
      return problem === undefined;
    });
    if (this.#waiting.length > 0) return;
    clearInterval(this.#overdueTimer);
    this.#overdueTimer = undefined;
  }
}
