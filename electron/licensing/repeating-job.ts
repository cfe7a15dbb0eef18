/** Runs a job repeatedly, one run at a time, with delays chosen by the caller. Has the only timer of the sync. */
import type { Clock, Log } from './platform.ts';

type RepeatingJobDeps = {
  readonly clock: Clock;
  readonly log: Log;
  readonly run: () => Promise<void>;
  readonly nextDelayMs: () => number;
  readonly onChange: () => void;
};

type DueTime = { readonly wallMs: number; readonly monotonicMs: number };

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'waiting'; readonly due: DueTime; readonly cancelTimer: () => void }
  /** `next` is a run requested meanwhile. */
  | { readonly kind: 'running'; readonly current: Promise<void>; next: Promise<void> | null }
  | { readonly kind: 'stopped' };

/** Can be started once and stopped once; a run in progress completes. */
export class RepeatingJob {
  readonly #deps: RepeatingJobDeps;
  #state: State = { kind: 'idle' };
  #lastEndedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: RepeatingJobDeps) {
    this.#deps = deps;
  }

  /** Schedules the first run after the delay; does nothing once stopped. */
  start(firstDelayMs: number): void {
    if (this.#state.kind === 'idle') this.#wait(firstDelayMs);
  }

  /** Resolves once a run in progress has ended. */
  async stop(): Promise<void> {
    const state = this.#state;
    if (state.kind === 'waiting') state.cancelTimer();
    this.#state = { kind: 'stopped' };
    if (state.kind === 'running') await state.current;
  }

  /** Runs at once, or right after the run in progress; resolves when that run has ended. */
  runNow(): Promise<void> {
    const state = this.#state;
    if (state.kind === 'stopped') return Promise.resolve();
    if (state.kind !== 'running') return this.#begin();
    state.next ??= state.current.then(() => this.runNow());
    return state.next;
  }

  /** Brings the next run forward to at most this delay from now; does nothing during a run. */
  runWithin(delayMs: number): void {
    const state = this.#state;
    if (state.kind !== 'waiting' || state.due.monotonicMs - this.#deps.clock.monotonic() <= delayMs) return;
    state.cancelTimer();
    this.#wait(delayMs);
  }

  /** Wall time of the next run; `null` during a run and after `stop`. */
  get nextRunAtMs(): number | null {
    return this.#state.kind === 'waiting' ? this.#state.due.wallMs : null;
  }

  get isRunning(): boolean {
    return this.#state.kind === 'running';
  }

  /** True once the first run has begun. */
  get hasStarted(): boolean {
    return this.isRunning || Number.isFinite(this.sinceLastRunMs);
  }

  /** Infinite until the first run has ended. */
  get sinceLastRunMs(): number {
    return this.#deps.clock.monotonic() - this.#lastEndedAtMs;
  }

  #wait(delayMs: number): void {
    const { clock, onChange } = this.#deps;
    this.#state = {
      kind: 'waiting',
      due: { wallMs: clock.now() + delayMs, monotonicMs: clock.monotonic() + delayMs },
      cancelTimer: clock.setTimer(delayMs, () => void this.#begin()),
    };
    onChange();
  }

  #begin(): Promise<void> {
    if (this.#state.kind === 'waiting') this.#state.cancelTimer();
    const current = this.#runOnce();
    this.#state = { kind: 'running', current, next: null };
    this.#deps.onChange();
    return current;
  }

  async #runOnce(): Promise<void> {
    const { clock, log, run, nextDelayMs } = this.#deps;
    await run().catch(() => log.warn('a scheduled run failed unexpectedly'));
    if (this.#state.kind !== 'running') return;
    this.#lastEndedAtMs = clock.monotonic();
    if (this.#state.next) this.#state = { kind: 'idle' };
    else this.#wait(nextDelayMs());
  }
}
