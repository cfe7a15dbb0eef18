/** Runs writes one after the other. Those that arrive together become one transaction and share its commit. */
import type { Clock } from '../clock.ts';
import { currentDeadline, Deadline, runWithDeadline } from '../deadline.ts';
import type { Scheduler } from '../scheduler.ts';
import type { CacheInvalidation } from './cache-invalidation.ts';
import type { Transaction } from './database.ts';
import { DatabaseUnavailable, isLockHeld } from './database-errors.ts';
import { createCommitHistogram, type WriteStatistics } from './write-statistics.ts';

/** Reads wait while a batch runs, so slow writes are limited by time as well. */
const maxBatchSize = 200;
const maxBatchMs = 5;
const maxLockRetryMs = 20;
/** The longest pause between two tries grows by 1 ms for every 50 ms of waiting. */
const lockRetryGrowth = 50;
const overdueCheckMs = 100;

export type WriteLimits = {
  /** How long a write outside of a request may wait to begin. */
  readonly timeoutMs: number;
  /** How long a transaction may wait for the lock, or run, before new writes are refused. */
  readonly stuckAfterMs: number;
  /** How many writes may wait. */
  readonly maxWaiting: number;
};

const defaultLimits: WriteLimits = { timeoutMs: 10_000, stuckAfterMs: 5_000, maxWaiting: 2_000 };

/** What the queue needs from the writing connection, see `SqliteWriter`. */
type Writer = {
  transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  attempt<T>(transaction: Transaction, work: (transaction: Transaction) => Promise<T>): Promise<T>;
  sync(): Promise<void>;
};

type WriteQueueDeps = {
  readonly writer: Writer;
  readonly cacheInvalidation: CacheInvalidation;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly scheduler: Scheduler;
};

type Job = {
  readonly deadline: Deadline;
  /** True if a request waits for the result, which it does only until its deadline. */
  readonly isOfRequest: boolean;
  work(transaction: Transaction): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
};

/**
 * The queue in front of the only connection that writes. `run` implements `Database.write`. A write stays in the queue
 * until its transaction has the lock, and never begins after its deadline.
 */
export class WriteQueue implements WriteStatistics {
  readonly commits = createCommitHistogram();
  hasFailed = false;
  readonly #deps: WriteQueueDeps;
  readonly #limits: WriteLimits;
  #waiting: Job[] = [];
  #running: Job[] = [];
  #draining: Promise<void> | undefined;
  /**
   * When writes stopped making progress. Kept when the queue empties without the lock, so the next writes fail fast.
   */
  #stuckSinceMs: number | undefined;
  #emptySinceMs = 0;

  constructor(deps: WriteQueueDeps, limits: Partial<WriteLimits> = {}) {
    this.#deps = deps;
    this.#limits = { ...defaultLimits, ...limits };
  }

  run<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const ofRequest = currentDeadline();
    const deadline = ofRequest ?? new Deadline(this.#limits.timeoutMs, undefined, this.#deps.clock);
    return new Promise<T>((resolve, reject) => {
      const problem = this.#findProblem(deadline);
      if (problem) return reject(problem);
      const isOfRequest = ofRequest !== undefined;
      this.#waiting.push({ deadline, isOfRequest, work, resolve: (value) => resolve(value as T), reject });
      this.#draining ??= runWithDeadline(undefined, () => this.#drain());
    });
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when no write is waiting or running. */
  async idle(): Promise<void> {
    while (this.#draining) await this.#draining;
  }

  #findProblem(deadline: Deadline): Error | undefined {
    const problem = deadline.problem();
    if (problem) return problem;
    if (this.#waiting.length >= this.#limits.maxWaiting) return unavailable('too many writes are waiting');
    // While nothing is being tried, the next write finds out whether the lock is free.
    if (this.#draining && this.#isStuck()) return unavailable('the writes before this one make no progress');
    return undefined;
  }

  #isStuck(): boolean {
    return (
      this.#stuckSinceMs !== undefined && this.#deps.clock.monotonic() - this.#stuckSinceMs > this.#limits.stuckAfterMs
    );
  }

  async #drain(): Promise<void> {
    // After a pause, what was known about the lock is out of date.
    if (this.#deps.clock.monotonic() - this.#emptySinceMs > this.#limits.stuckAfterMs) this.#stuckSinceMs = undefined;
    const { scheduler } = this.#deps;
    const cancel = scheduler.every(overdueCheckMs, () => this.#rejectOverdue());
    while (this.#waiting.length > 0) {
      // The rest of this event loop turn may bring more writes for the same commit.
      await scheduler.nextTurn();
      await this.#runBatch();
    }
    cancel();
    this.#emptySinceMs = this.#deps.clock.monotonic();
    this.#draining = undefined;
  }

  async #runBatch(): Promise<void> {
    const triedSinceMs = this.#stuckSinceMs ?? this.#deps.clock.monotonic();
    this.#stuckSinceMs = triedSinceMs;
    let hasBegun = false;
    try {
      let startedMs = 0;
      const results = await this.#transact((transaction) => {
        hasBegun = true;
        startedMs = this.#deps.clock.monotonic();
        return this.#runJobs(transaction);
      });
      // Writes that arrive during the sync share the next commit.
      await this.#deps.writer.sync();
      this.commits.observe((this.#deps.clock.monotonic() - startedMs) / 1000);
      this.#stuckSinceMs = undefined;
      for (const settle of results) settle();
    } catch (error) {
      const isLocked = !hasBegun && isLockHeld(error);
      if (isLocked && !this.#isStuck())
        return await this.#deps.scheduler.sleep(lockRetryMs(this.#deps.clock.monotonic() - triedSinceMs));
      if (!isLocked) {
        this.#stuckSinceMs = undefined;
        this.hasFailed = true;
      }
      for (const job of hasBegun ? this.#running : this.#waiting.splice(0)) job.reject(error);
    } finally {
      this.#running = [];
    }
  }

  /** Drops what the transaction has changed from the cache, whether or not it succeeded. */
  async #transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.#deps.writer.transact(work);
    } finally {
      this.#deps.cacheInvalidation.refresh();
    }
  }

  /**
   * Returns one function per job that settles its promise, to be called when the commit is on disk. Throws if the
   * transaction as a whole is lost.
   */
  async #runJobs(transaction: Transaction): Promise<(() => void)[]> {
    const results: (() => void)[] = [];
    for (const job of this.#takeBatch()) {
      const problem = job.deadline.problem();
      if (problem) {
        results.push(() => job.reject(unavailable(problem)));
        continue;
      }
      try {
        const value = await this.#deps.writer.attempt(transaction, job.work);
        results.push(() => job.resolve(value));
      } catch (error) {
        if (error instanceof DatabaseUnavailable) throw error;
        results.push(() => job.reject(error));
      }
    }
    return results;
  }

  *#takeBatch(): Iterable<Job> {
    this.#rejectOverdue();
    const endMs = this.#deps.clock.monotonic() + maxBatchMs;
    do {
      const job = this.#waiting.shift();
      if (!job) return;
      this.#running.push(job);
      yield job;
    } while (this.#running.length < maxBatchSize && this.#deps.clock.monotonic() < endMs);
  }

  /** Also rejects running writes that are out of time, although they may still succeed. */
  #rejectOverdue(): void {
    this.#waiting = this.#waiting.filter((job) => {
      const problem = job.deadline.problem();
      if (problem) job.reject(unavailable(problem));
      return problem === undefined;
    });
    for (const { isOfRequest, deadline, reject } of this.#running) {
      if (isOfRequest && deadline.remainingMs() <= 0) reject(unavailable('the write did not end in time'));
    }
  }
}

function unavailable(reason: string | Error): DatabaseUnavailable {
  return new DatabaseUnavailable(typeof reason === 'string' ? new Error(reason) : reason);
}

/**
 * Short at first, because most transactions are short and a process that waits longer than the others would never get
 * the lock. Random, so that processes do not retry in lockstep.
 */
function lockRetryMs(waitedMs: number): number {
  const longest = Math.min(Math.max(1, waitedMs / lockRetryGrowth), maxLockRetryMs - 1);
  return 1 + Math.random() * longest;
}
