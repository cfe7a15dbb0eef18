/** Decides when a browser session ends, and how often its use is recorded. */
import { minuteMs } from '../clock.ts';

const idleAfterMs = 30 * minuteMs;
/** Maximum duration of a session after sign-in, in ms. */
export const browserSessionTtlMs = 12 * 60 * minuteMs;
const recordEveryMs = minuteMs;

type BrowserSessionTimes = {
  readonly last_used_at_ms: number;
  readonly expires_at_ms: number;
};

/** Returns when the session ends: after 30 minutes without a request, and at the latest 12 hours after sign-in. */
export function readSessionEnd({ last_used_at_ms, expires_at_ms }: BrowserSessionTimes): number {
  return Math.min(expires_at_ms, last_used_at_ms + idleAfterMs);
}

export function hasEnded(times: BrowserSessionTimes, nowMs: number): boolean {
  return nowMs >= readSessionEnd(times);
}

/** Returns true if the use of a session must be recorded, which happens at most once a minute. */
export function isUseDue({ last_used_at_ms }: BrowserSessionTimes, nowMs: number): boolean {
  return Math.abs(nowMs - last_used_at_ms) >= recordEveryMs;
}
