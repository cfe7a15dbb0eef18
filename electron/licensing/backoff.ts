/** Decides how long to wait before asking again. Pure: starts no timer. */
import type { Failure } from '../../shared/ipc/result.ts';

const foregroundIntervalMs = 54_000;
const firstRetryMs = 15_000;
const longestForegroundRetryMs = 60_000;
const longestHiddenRetryMs = 300_000;

export type CheckPace = {
  /** Checks that failed in a row; 0 after a good one. */
  readonly failures: number;
  /** Whether the window is in the foreground. */
  readonly foreground: boolean;
  readonly intervalSeconds: number;
  /** What a 429 or 503 asked for. */
  readonly retryAfterSeconds: number | null;
  /** In [0, 1). */
  readonly fraction: number;
};

/**
 * Milliseconds until the next check. After a good one the interval ± 10 % (a minute at most in the foreground); after
 * failures 15 s, doubled each time up to a minute in the foreground or five hidden; never sooner than the server asked.
 */
export function nextCheckDelayMs(pace: CheckPace): number {
  const delayMs = pace.failures === 0 ? regularDelayMs(pace) : retryAfterFailuresMs(pace);
  return Math.max(delayMs, (pace.retryAfterSeconds ?? 0) * 1000);
}

function regularDelayMs({ foreground, intervalSeconds, fraction }: CheckPace): number {
  const intervalMs = intervalSeconds * 1000;
  const baseMs = foreground ? Math.min(foregroundIntervalMs, intervalMs) : intervalMs;
  return Math.round(baseMs * (0.9 + 0.2 * fraction));
}

/** Jitter only shortens here: people were promised an upper bound. */
function retryAfterFailuresMs({ failures, foreground, fraction }: CheckPace): number {
  const longestMs = foreground ? longestForegroundRetryMs : longestHiddenRetryMs;
  const baseMs = Math.min(longestMs, firstRetryMs * 2 ** Math.min(failures - 1, 10));
  return Math.round(baseMs * (1 - 0.1 * fraction));
}

const longestQuickRetryMs = 3000;

/**
 * Milliseconds before a call that may be sent twice is sent again at once, or `null` where the schedule takes over.
 * One quick retry mends a connection that was closed under us; a time-out was long enough already.
 */
export function retryDelayMs(input: {
  readonly attempt: number;
  readonly failure: Failure;
  /** How long the call took to fail. */
  readonly elapsedMs: number;
  readonly fraction: number;
}): number | null {
  const { attempt, failure, elapsedMs, fraction } = input;
  if (attempt > 1 || elapsedMs > longestQuickRetryMs || !repairable.has(failure.code)) return null;
  const delayMs = failure.retryAfterSeconds === undefined ? 250 + 250 * fraction : failure.retryAfterSeconds * 1000;
  return delayMs > longestQuickRetryMs ? null : Math.round(delayMs);
}

const repairable = new Set<string>(['SERVER_UNREACHABLE', 'SERVICE_UNAVAILABLE']);
