/** When a session in a browser ends, and how often its use is recorded. */
import { minuteMs } from '../clock.ts';

const idleAfterMs = 30 * minuteMs;
/** From sign-in. */
export const browserSessionTtlMs = 12 * 60 * minuteMs;
const recordEveryMs = minuteMs;

export type BrowserSessionTimes = {
  readonly last_used_at_ms: number;
  readonly expires_at_ms: number;
};

/** It ends after half an hour without a request, at the latest twelve hours after the sign-in. */
export function readSessionEnd({ last_used_at_ms, expires_at_ms }: BrowserSessionTimes): number {
  return Math.min(expires_at_ms, last_used_at_ms + idleAfterMs);
}

export function hasEnded(times: BrowserSessionTimes, nowMs: number): boolean {
  return nowMs >= readSessionEnd(times);
}

/** Whether the use of a session is to be recorded, which is done at most once a minute. */
export function isUseDue({ last_used_at_ms }: BrowserSessionTimes, nowMs: number): boolean {
  return Math.abs(nowMs - last_used_at_ms) >= recordEveryMs;
}
