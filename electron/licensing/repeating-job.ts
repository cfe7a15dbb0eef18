/** Runs one job again and again, one run at a time, each delay decided by the caller. Holds the only timer of the schedule. */
import type { Clock, Log } from './platform.ts';

export type RepeatingJob = {
  /** Begins; the first run comes after the delay. */
  readonly start: (firstDelayMs: number) => void;
  readonly stop: () => void;
  /** Runs at once, or once more right after the run that is under way; fulfils when that run has ended. */
  readonly runNow: () => Promise<void>;
  /** Brings the next run forward to at most that far from now. */
  readonly runWithin: (delayMs: number) => void;
  /** When the next run is due, as wall time; `null` while one is under way or nothing is scheduled. */
  readonly nextRunAtMs: () => number | null;
  /** How long ago the last run ended; infinite before the first. */
  readonly sinceLastRunMs: () => number;
  readonly running: () => boolean;
};

export type RepeatingJobParts = {
  readonly clock: Clock;
  readonly log: Log;
  readonly run: () => Promise<void>;
  readonly nextDelayMs: () => number;
  readonly onChange: () => void;
};

/** A job that is not started. */
export function createRepeatingJob(parts: RepeatingJobParts): RepeatingJob {
  const { clock } = parts;
  let started = false;
  let cancelTimer: (() => void) | null = null;
  let due: { readonly wallMs: number; readonly monotonicMs: number } | null = null;
  let current: Promise<void> | null = null;
  let following: Promise<void> | null = null;
  let endedAtMs = Number.NEGATIVE_INFINITY;
  /** Which start this is; a run that an earlier one has left behind decides nothing any more. */
  let starts = 0;

  function schedule(delayMs: number): void {
    unschedule();
    if (!started) return;
    due = { wallMs: clock.now() + delayMs, monotonicMs: clock.monotonic() + delayMs };
    cancelTimer = clock.setTimer(delayMs, () => void begin());
    parts.onChange();
  }

  function unschedule(): void {
    cancelTimer?.();
    cancelTimer = null;
    due = null;
  }

  function begin(): Promise<void> {
    unschedule();
    current ??= runOnce();
    return current;
  }

  async function runOnce(): Promise<void> {
    const mine = starts;
    parts.onChange();
    await parts.run().catch(() => parts.log.warn('a scheduled check has failed unexpectedly'));
    if (mine !== starts) return;
    current = null;
    endedAtMs = clock.monotonic();
    if (!following) schedule(parts.nextDelayMs());
    parts.onChange();
  }

  async function runAfterCurrent(): Promise<void> {
    const mine = starts;
    await current;
    if (mine !== starts) return;
    following = null;
    if (started) await begin();
  }

  return {
    start: (firstDelayMs) => {
      started = true;
      starts++;
      current = null;
      following = null;
      endedAtMs = Number.NEGATIVE_INFINITY;
      schedule(firstDelayMs);
    },
    stop: () => {
      started = false;
      unschedule();
    },
    runNow: () => {
      if (!started) return Promise.resolve();
      if (!current) return begin();
      following ??= runAfterCurrent();
      return following;
    },
    runWithin: (delayMs) => {
      if (due && due.monotonicMs - clock.monotonic() > delayMs) schedule(Math.max(0, delayMs));
    },
    nextRunAtMs: () => due?.wallMs ?? null,
    sinceLastRunMs: () => clock.monotonic() - endedAtMs,
    running: () => started && current !== null,
  };
}
