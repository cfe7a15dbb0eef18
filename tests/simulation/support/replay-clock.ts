/** The clocks of the recorded machine: they are moved to the recorded times, and timers run on the way. */
import type { BootTime, Clock } from '../../../electron/licensing/platform.ts';
import { settle } from '../../electron/fake-platform.ts';

type Timer = {
  readonly atMs: number;
  /** The time at which it is due by the wall clock, as of when the timer was set. */
  readonly dueWallMs: number;
  readonly callback: () => void;
};

export type Moment = { readonly wallMs: number; readonly monotonicMs: number };

/** Decides when a timer runs on the monotonic clock: when it is due, later, or never (infinity). */
export type RunsAt = (timer: { readonly atMs: number; readonly dueWallMs: number }) => number;

export class ReplayClock implements Clock {
  #wallMs = 0;
  #monotonicMs = 0;
  #boot: BootTime | null = null;
  /** The time that has passed, including sleep, regardless of the wall clock. */
  #trueMs = 0;
  #nextId = 1;
  readonly #timers = new Map<number, Timer>();
  #runsAt: RunsAt = ({ atMs }) => atMs;

  readonly now = () => this.#wallMs;
  readonly monotonic = () => this.#monotonicMs;
  readonly sinceBoot = () => this.#boot;

  readonly setTimer: Clock['setTimer'] = (delayMs, callback) => {
    const id = this.#nextId++;
    this.#timers.set(id, { atMs: this.#monotonicMs + delayMs, dueWallMs: this.#wallMs + delayMs, callback });
    return () => void this.#timers.delete(id);
  };

  get trueMs(): number {
    return this.#trueMs;
  }

  /** Resets the clocks for a start of the app; all earlier timers are gone. */
  start({ wallMs, monotonicMs }: Moment, boot: BootTime | null, runsAt: RunsAt): void {
    this.#trueMs += Math.max(0, wallMs - this.#wallMs);
    this.#wallMs = wallMs;
    this.#monotonicMs = monotonicMs;
    this.#boot = boot;
    this.#timers.clear();
    this.#runsAt = runsAt;
  }

  /** Lets time pass until that moment, and then sets the wall clock to the recorded time. */
  async moveTo({ wallMs, monotonicMs }: Moment): Promise<void> {
    await this.settle();
    for (let next = this.#takeDue(monotonicMs); next; next = this.#takeDue(monotonicMs)) {
      this.#pass(next.atMs - this.#monotonicMs);
      next.callback();
      await settle();
    }
    this.#pass(monotonicMs - this.#monotonicMs);
    this.#wallMs = wallMs;
  }

  /** Adds time asleep, which the monotonic clock does not count. */
  sleep(ms: number): void {
    this.#trueMs += ms;
    if (this.#boot !== null) this.#boot = { ...this.#boot, ms: this.#boot.ms + ms };
  }

  /** Runs everything that requires no time to pass. */
  async settle(): Promise<void> {
    await settle();
    for (let next = this.#takeDue(this.#monotonicMs); next; next = this.#takeDue(this.#monotonicMs)) {
      next.callback();
      await settle();
    }
  }

  /** Runs the timer with this wall clock time ahead of time. Resolves with false if there is none. */
  async runEarly(dueWallMs: number): Promise<boolean> {
    const found = [...this.#timers].find(([, timer]) => timer.dueWallMs === dueWallMs);
    if (!found) return false;
    this.#timers.delete(found[0]);
    found[1].callback();
    await this.settle();
    return true;
  }

  /** Runs the timers that `work` has set and that are due within that time. */
  async withoutWaiting(withinMs: number, work: () => void): Promise<void> {
    const firstId = this.#nextId;
    work();
    await this.settle();
    for (const [id, timer] of [...this.#timers]) {
      if (id < firstId || this.#runsAt(timer) - this.#monotonicMs > withinMs) continue;
      this.#timers.delete(id);
      timer.callback();
    }
    await this.settle();
  }

  #pass(ms: number): void {
    const passedMs = Math.max(0, ms);
    this.#wallMs += passedMs;
    this.#monotonicMs += passedMs;
    this.#trueMs += passedMs;
    if (this.#boot !== null) this.#boot = { ...this.#boot, ms: this.#boot.ms + passedMs };
  }

  /** Removes and returns the first timer due until then, with the time at which it runs. */
  #takeDue(untilMs: number): Pick<Timer, 'atMs' | 'callback'> | undefined {
    const times = [...this.#timers].map(([id, timer]) => ({ id, ...timer, atMs: this.#runsAt(timer) }));
    const [first] = times.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs || a.id - b.id);
    if (first) this.#timers.delete(first.id);
    return first;
  }
}
