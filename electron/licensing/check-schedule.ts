/** When the checks run: soon after sign-in and waking, then at the pace of the window, backing off while nothing answers. */
import type { Failure } from '../../shared/ipc/result.ts';
import { nextCheckDelayMs } from './backoff.ts';
import type { RoundResult } from './check-round.ts';
import type { Clock, Log, Power, Random } from './platform.ts';
import { createRepeatingJob } from './repeating-job.ts';

export type CheckSchedule = {
  /** Begins for a session; the first check comes within the delay. */
  readonly start: (firstDelayMs: number) => void;
  readonly stop: () => void;
  /** Checks at once; fulfils with what failed, or `null`. */
  readonly syncNow: () => Promise<Failure | null>;
  /** Brings the next check forward, e.g. after an activation. */
  readonly checkSoon: () => void;
  readonly setForeground: (foreground: boolean) => void;
  /** The interval has changed. */
  readonly repace: () => void;
  readonly nextAtMs: () => number | null;
  readonly checking: () => boolean;
  /** Ends the listening for wake-ups as well. */
  readonly dispose: () => void;
};

export type CheckScheduleParts = {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly power: Power;
  readonly round: (requested: boolean) => Promise<RoundResult>;
  readonly intervalSeconds: () => number;
  readonly onChange: () => void;
};

const leastGapMs = 1000;
const offlineGapMs = 15_000;

/** A schedule at rest. */
export function createCheckSchedule(parts: CheckScheduleParts): CheckSchedule {
  const { clock, random } = parts;
  let foreground = false;
  let requested = false;
  let failures = 0;
  let sessions = 0;
  let last: RoundResult = { failure: null, retryAfterSeconds: null };

  const soonMs = () => Math.round(leastGapMs + 2000 * random.fraction());
  const job = createRepeatingJob({ clock, log: parts.log, run, nextDelayMs, onChange: parts.onChange });
  const endListening = parts.power.onResume(() => job.runWithin(soonMs()));

  async function run(): Promise<void> {
    const asked = requested;
    const mine = sessions;
    requested = false;
    const result = await parts.round(asked);
    if (mine !== sessions) return;
    last = result;
    failures = last.failure && !saysNothing(last.failure) ? failures + 1 : 0;
  }

  const askedWaitMs = () => (last.retryAfterSeconds ?? 0) * 1000;

  function nextDelayMs(): number {
    const { retryAfterSeconds } = last;
    const intervalSeconds = parts.intervalSeconds();
    return nextCheckDelayMs({ failures, foreground, intervalSeconds, retryAfterSeconds, fraction: random.fraction() });
  }

  return {
    start: (firstDelayMs) => {
      sessions++;
      failures = 0;
      last = { failure: null, retryAfterSeconds: null };
      job.start(firstDelayMs);
    },
    stop: job.stop,
    syncNow: async () => {
      requested = true;
      await job.runNow();
      return last.failure;
    },
    checkSoon: () => job.runWithin(soonMs()),
    setForeground: (next) => {
      const came = next && !foreground;
      foreground = next;
      if (!came) return;
      const gapMs = failures > 0 ? Math.max(offlineGapMs, askedWaitMs()) : nextDelayMs();
      job.runWithin(Math.max(leastGapMs, gapMs - job.sinceLastRunMs()));
    },
    repace: () => job.runWithin(nextDelayMs()),
    nextAtMs: job.nextRunAtMs,
    checking: job.running,
    dispose: () => {
      job.stop();
      endListening();
    },
  };
}

/** A wait that was asked for is no failure, and a canceled call is one of an earlier session. */
function saysNothing(failure: Failure): boolean {
  return failure.code === 'RATE_LIMITED' || failure.code === 'CANCELED';
}
