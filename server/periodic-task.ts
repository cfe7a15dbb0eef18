/** Runs something again and again, one run at a time. */
import type { Cancel, Scheduler } from './scheduler.ts';

export type PeriodicTaskOptions = {
  readonly scheduler: Pick<Scheduler, 'timeout' | 'sleep'>;
  /** From the end of a run to the beginning of the next one. */
  readonly intervalMs: number;
  /** From `start` to the first run, `intervalMs` by default; with 0 it begins in `start` itself. */
  readonly firstRunMs?: number;
  readonly run: () => unknown;
  /** Called for the first of several runs in a row that fail. The next run begins as usual. */
  readonly onFailure?: (error: unknown) => void;
  /** Called when a run has succeeded after others that failed. */
  readonly onRecovery?: () => void;
};

export class PeriodicTask {
  readonly #options: PeriodicTaskOptions;
  #cancel: Cancel | undefined;
  #running: Promise<void> | undefined;
  #isFailing = false;
  #isStopped = false;

  constructor(options: PeriodicTaskOptions) {
    this.#options = options;
  }

  /** A run that takes long can end early when this is true. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Within a run: lets other work go first. False if the task was stopped meanwhile, so that the run is to end. */
  async pause(ms: number): Promise<boolean> {
    await this.#options.scheduler.sleep(ms);
    return !this.#isStopped;
  }

  /** Its timer does not keep the process alive. */
  start(): void {
    const { intervalMs, firstRunMs = intervalMs } = this.#options;
    if (firstRunMs === 0) this.#run();
    else this.#schedule(firstRunMs);
  }

  /** No other run begins. Resolves when the one in progress has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
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
      await run();
      this.#isFailing = false;
      if (wasFailing) onRecovery?.();
    } catch (error) {
      this.#isFailing = true;
      if (!wasFailing) onFailure?.(error);
    }
  }
}
