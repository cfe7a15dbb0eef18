/** When a session of a member of staff ends, and when its last confirmation is too old. */

const minuteMs = 60_000;
const idleAfterMs = 30 * minuteMs;
/** From sign-in. */
export const sessionTtlMs = 12 * 60 * minuteMs;
const confirmedForMs = 5 * minuteMs;
const recordEveryMs = minuteMs;

export type SessionTimes = {
  readonly last_used_at_ms: number;
  readonly expires_at_ms: number;
  /** When the member last gave a password or passkey. */
  readonly confirmed_at_ms: number;
};

export function hasEnded({ last_used_at_ms, expires_at_ms }: SessionTimes, nowMs: number): boolean {
  return nowMs >= expires_at_ms || nowMs - last_used_at_ms >= idleAfterMs;
}

/** Until when what cannot be undone needs no other confirmation; `undefined` if it needs one. */
export function readConfirmedUntil({ confirmed_at_ms }: SessionTimes, nowMs: number): number | undefined {
  const untilMs = confirmed_at_ms + confirmedForMs;
  return nowMs >= confirmed_at_ms && nowMs < untilMs ? untilMs : undefined;
}

/** Whether the use of a session is to be recorded, which is done at most once a minute. */
export function isUseDue({ last_used_at_ms }: SessionTimes, nowMs: number): boolean {
  return Math.abs(nowMs - last_used_at_ms) >= recordEveryMs;
}
