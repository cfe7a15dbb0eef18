/** Decides how long to wait before the next request. Pure: starts no timer. */
import type { Failure } from '../../shared/ipc/result.ts';

const foregroundIntervalMs = 54_000;
const firstRetryMs = 15_000;
const maxForegroundRetryMs = 60_000;
const maxHiddenRetryMs = 300_000;

export type SyncPace = {
  /** Consecutive failed syncs; 0 after a successful one. */
  readonly failures: number;
  /** True while the window is in the foreground. */
  readonly foreground: boolean;
  readonly intervalSeconds: number;
  /** From the `Retry-After` of a 429 or 503; 0 without one. */
  readonly retryAfterSeconds: number;
  /** In [0, 1), for jitter. */
  readonly fraction: number;
};

/**
 * Returns the milliseconds until the next sync. After a success the interval ± 10 % (at most a minute in the
 * foreground); after failures 15 s, doubled each time up to one minute in the foreground or five when hidden; never
 * before `Retry-After`.
 */
export function nextSyncDelayMs(pace: SyncPace): number {
  const delayMs = pace.failures === 0 ? regularDelayMs(pace) : retryAfterFailuresMs(pace);
  return Math.max(delayMs, pace.retryAfterSeconds * 1000);
}

function regularDelayMs({ foreground, intervalSeconds, fraction }: SyncPace): number {
  const intervalMs = intervalSeconds * 1000;
  const baseMs = foreground ? Math.min(foregroundIntervalMs, intervalMs) : intervalMs;
  return Math.round(baseMs * (0.9 + 0.2 * fraction));
}

/** Jitter only shortens the delay here, because the maximum is promised to users. */
function retryAfterFailuresMs({ failures, foreground, fraction }: SyncPace): number {
  const maxMs = foreground ? maxForegroundRetryMs : maxHiddenRetryMs;
  const baseMs = Math.min(maxMs, firstRetryMs * 2 ** Math.min(failures - 1, 10));
  return Math.round(baseMs * (1 - 0.1 * fraction));
}

const maxQuickRetryMs = 3000;
const retriedCodes = new Set<string>(['SERVER_UNREACHABLE', 'SERVICE_UNAVAILABLE']);

/**
 * Returns the milliseconds until a repeatable call is retried, or `null` to leave it to the next sync. One quick retry
 * is enough for a connection that was closed while idle; a timeout has already taken long enough.
 */
export function retryDelayMs(input: {
  readonly attempt: number;
  readonly failure: Failure;
  /** How long the call took to fail. */
  readonly elapsedMs: number;
  readonly fraction: number;
}): number | null {
  const { attempt, failure, elapsedMs, fraction } = input;
  if (attempt > 1 || elapsedMs > maxQuickRetryMs || !retriedCodes.has(failure.code)) return null;
  const delayMs = failure.retryAfterSeconds === undefined ? 250 + 250 * fraction : failure.retryAfterSeconds * 1000;
  return delayMs > maxQuickRetryMs ? null : Math.round(delayMs);
}
