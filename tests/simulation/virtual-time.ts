/**
 * The single clock of a simulated world. Nothing waits: time jumps from one event to the next. Everything started by
 * the events of one millisecond finishes before the next ones begin, so that the same events always run in the same
 * order.
 */
import { AsyncResource } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import type { Cancel, Scheduler } from '../../server/scheduler.ts';

type Event = { readonly atMs: number; readonly sequence: number; run: (() => void) | undefined };

/** Idle event loop turns after which nothing more is expected: code may yield a turn or two without a port. */
const quietTurns = 4;

/** More events within one millisecond mean that code sets a timer of no delay again and again, and time stands still. */
const maxEventsAtOnce = 10_000;

export class VirtualTime {
  /** The true time, in milliseconds since 1970. The clocks of machines may differ. */
  nowMs: number;
  readonly #events: Event[] = [];
  #sequence = 0;
  /** Number of events at the current time. */
  #eventsAtOnce = 0;
  /** Number of real asynchronous operations in progress, such as an injected request. */
  #pending = 0;
  #failure: unknown;

  constructor(startMs: number) {
    this.nowMs = startMs;
  }

  /**
   * Runs the callback at that time, or with the next event if that is past, in the asynchronous context of the caller.
   */
  at(atMs: number, run: () => void): Cancel {
    const event: Event = { atMs: Math.max(atMs, this.nowMs), sequence: ++this.#sequence, run: AsyncResource.bind(run) };
    this.#events.splice(this.#findIndex(event), 0, event);
    return () => {
      event.run = undefined;
    };
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.at(this.nowMs + delayMs, resolve));
  }

  /** Holds all other events until this work has ended. If it fails, the whole history fails. */
  track<T>(work: Promise<T>): Promise<T> {
    this.#pending += 1;
    const ended = () => {
      this.#pending -= 1;
    };
    work.then(ended, (error: unknown) => {
      this.#failure ??= error;
      ended();
    });
    return work;
  }

  /** Resolves when nothing is left to do at the current time. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns; ) {
      await turn();
      quiet = this.#pending > 0 || isUsingFiles() ? 0 : quiet + 1;
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Lets time pass, event by event. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.nowMs + ms;
    await this.settle();
    for (let next = this.#take(untilMs); next; next = this.#take(untilMs)) {
      await this.#run(next);
    }
    this.nowMs = Math.max(this.nowMs, untilMs);
  }

  /** Lets time pass without any events, as if all machines slept. Everything due in the meantime is late. */
  skip(ms: number): void {
    this.nowMs += ms;
  }

  /** Runs `work`, which may take virtual time, to its end. */
  async finish<T>(work: Promise<T>, limitMs: number): Promise<T> {
    let result: { readonly value: T } | undefined;
    let failure: { readonly error: unknown } | undefined;
    work.then(
      (value) => {
        result = { value };
      },
      (error: unknown) => {
        failure = { error };
      },
    );
    const untilMs = this.nowMs + limitMs;
    await this.settle();
    while (!result && !failure) {
      const next = this.#take(untilMs);
      if (!next) throw new Error(`something did not end within ${limitMs / 1000} s`);
      await this.#run(next);
    }
    if (failure) throw failure.error;
    return (result as { readonly value: T }).value;
  }

  /** Events due in the same millisecond happen at once, so that their requests meet in the server. */
  async #run(first: Event): Promise<void> {
    if (first.atMs > this.nowMs) this.#eventsAtOnce = 0;
    this.nowMs = Math.max(this.nowMs, first.atMs);
    const { atMs } = first;
    for (let next: Event | undefined = first; next; next = this.#take(atMs)) {
      this.#eventsAtOnce += 1;
      if (this.#eventsAtOnce > maxEventsAtOnce) throw new Error('a timer without delay is set again and again');
      next.run?.();
    }
    await this.settle();
  }

  #take(untilMs: number): Event | undefined {
    for (;;) {
      const next = this.#events[0];
      if (!next || next.atMs > untilMs) return undefined;
      this.#events.shift();
      if (next.run) return next;
    }
  }

  /** Returns the index after all events of the same time. */
  #findIndex({ atMs }: Event): number {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle] as Event).atMs <= atMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Returns whether files are in use: the server's jobs, which nobody waits for, also read and write them. */
function isUsingFiles(): boolean {
  return process.getActiveResourcesInfo().some((resource) => resource.startsWith('FSReq'));
}

/**
 * The timers of one process. Those of jobs are stretched: in most of a simulated month, nothing happens between two
 * runs of a job that runs every second.
 */
export class ProcessTimers implements Scheduler {
  readonly #time: VirtualTime;
  readonly #stretch: number;
  #isAlive = true;

  constructor(time: VirtualTime, stretch = 1) {
    this.#time = time;
    this.#stretch = stretch;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Stops all timers. */
  kill(): void {
    this.#isAlive = false;
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.#after(delayMs, resolve));
  }

  timeout(delayMs: number, callback: () => void): Cancel {
    return this.#after(delayMs * this.#stretch, callback);
  }

  every(intervalMs: number, callback: () => void): Cancel {
    let cancel: Cancel = () => undefined;
    const again = () => {
      cancel = this.#after(intervalMs, () => {
        again();
        callback();
      });
    };
    again();
    return () => cancel();
  }

  async nextTurn(): Promise<void> {
    await this.#time.track(turn());
  }

  #after(delayMs: number, run: () => void): Cancel {
    return this.#time.at(this.#time.nowMs + delayMs, () => {
      if (this.#isAlive) run();
    });
  }
}
