/** Decides when a failed delivery is tried again, and what a response means for it. */
import { hourMs, minuteMs, secondMs } from '../clock.ts';

/** How long delivery of an event is tried. */
export const giveUpAfterMs = 72 * hourMs;

/** Delays after the first failed attempt, the second and so on; the last one applies from then on. */
const delaysMs = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  3 * hourMs,
  6 * hourMs,
];

/**
 * Maximum fraction by which a delay is extended at random, so that deliveries that failed together are not all retried
 * together.
 */
const maxJitter = 0.2;

type FailedAttempt = {
  /** Number of attempts so far, including this one. */
  readonly attempts: number;
  readonly nowMs: number;
  readonly giveUpAtMs: number;
  /** Random number from 0 to 1. */
  readonly random: number;
};

/** Returns when to retry; `undefined` when it is time to give up. The last attempt is made at that time. */
export function decideNextAttempt({ attempts, nowMs, giveUpAtMs, random }: FailedAttempt): number | undefined {
  if (nowMs >= giveUpAtMs) return undefined;
  const delayMs = delaysMs[Math.min(attempts, delaysMs.length) - 1] ?? hourMs;
  return Math.min(giveUpAtMs, nowMs + Math.round(delayMs * (1 + maxJitter * random)));
}

/** Status of the response, or why there was none. */
export type AttemptResult =
  | { readonly kind: 'response'; readonly status: number }
  | { readonly kind: 'error'; readonly message: string };

/**
 * Interprets the result. `gone` means that the endpoint wants no more events (410). A redirect counts as a failure,
 * because it is not followed.
 */
export function readResult(result: AttemptResult): 'delivered' | 'failed' | 'gone' {
  if (result.kind === 'error') return 'failed';
  if (result.status === 410) return 'gone';
  return result.status >= 200 && result.status < 300 ? 'delivered' : 'failed';
}
