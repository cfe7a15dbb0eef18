/** Runs a function periodically, one run at a time. */
import type { Cancel, Scheduler } from './scheduler.ts';

type PeriodicTaskOptions = {
  readonly scheduler: Pick<Scheduler, 'timeout' | 'sleep'>;
  /** From the end of a run to the start of the next one. */
  readonly intervalMs: number;
  /** From `start` to the first run; by default `intervalMs`. With 0 it begins in `start` itself. */
  readonly firstRunMs?: number;
  readonly run: (task: PeriodicTask) => unknown;
  /** Called for the first of several failed runs in a row. The next run begins as usual. */
  readonly onFailure?: (error: unknown) => void;
  /** Called when a run succeeds after failed ones. */
  readonly onRecovery?: () => void;
  /** Called when a task that was started is stopped; `ended` resolves when the run in progress has ended. */
  readonly onStop?: (ended: Promise<void>) => Promise<void>;
};

export class PeriodicTask {
  readonly #options: PeriodicTaskOptions;
  #cancel: Cancel | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStarted = false;
  #isFailing = false;
  #isStopped = false;

  constructor(options: PeriodicTaskOptions) {
    this.#options = options;
  }

  /** A long run can end early when this is true. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /**
   * Lets other work go first during a run. Resolves to false if the task was stopped meanwhile, so the run should end.
   */
  async pause(ms: number): Promise<boolean> {
    await this.#options.scheduler.sleep(ms);
    return !this.#isStopped;
  }

  /** Starts the task. Its timer does not keep the process alive. */
  start(): void {
    const { intervalMs, firstRunMs = intervalMs } = this.#options;
    this.#isStarted = true;
    if (firstRunMs === 0) this.#run();
    else this.#schedule(firstRunMs);
  }

  /** Prevents further runs, and resolves when the one in progress and `onStop` have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    if (this.#isStarted) await this.#options.onStop?.(this.#running);
    await this.#running;
  }

  #schedule(delayMs: number): void {
    this.#cancel = this.#options.scheduler.timeout(delayMs, () => this.#run());
  }

  #run(): void {
    this.#running = this.#runOnce().finally(() => {
      if (!this.#isStopped) this.#schedule(this.#options.intervalMs);
    });
  }

  async #runOnce(): Promise<void> {
    const { run, onFailure, onRecovery } = this.#options;
    const wasFailing = this.#isFailing;
    try {
      await run(this);
      this.#isFailing = false;
      if (wasFailing) onRecovery?.();
    } catch (error) {
      this.#isFailing = true;
      if (!wasFailing) onFailure?.(error);
    }
  }
}
