/** When a delivery that failed is tried again, and what a response means for it. */
import { hourMs, minuteMs, secondMs } from '../clock.ts';

/** For so long an event is tried to be delivered. */
export const giveUpAfterMs = 72 * hourMs;

/** How long to wait after the first failed attempt, the second, and so on; the last one applies from then on. */
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

/** Up to so much longer, so that not everything that failed together is tried again together. */
const maxJitter = 0.2;

export type FailedAttempt = {
  /** How many attempts there have been, this one included. */
  readonly attempts: number;
  readonly nowMs: number;
  readonly giveUpAtMs: number;
  /** From 0 to 1. */
  readonly random: number;
};

/** When to try again; `undefined` when it is time to give up. The last attempt is at that time. */
export function decideNextAttempt({ attempts, nowMs, giveUpAtMs, random }: FailedAttempt): number | undefined {
  if (nowMs >= giveUpAtMs) return undefined;
  const delayMs = delaysMs[Math.min(attempts, delaysMs.length) - 1] ?? hourMs;
  return Math.min(giveUpAtMs, nowMs + Math.round(delayMs * (1 + maxJitter * random)));
}

/** What came back: the status of the response, or why there was none. */
export type AttemptResult =
  | { readonly kind: 'response'; readonly status: number }
  | { readonly kind: 'error'; readonly message: string };

/** `gone`: the endpoint wants no more events (410). A redirect is a failure: it is not followed. */
export function readResult(result: AttemptResult): 'delivered' | 'failed' | 'gone' {
  if (result.kind === 'error') return 'failed';
  if (result.status === 410) return 'gone';
  return result.status >= 200 && result.status < 300 ? 'delivered' : 'failed';
}
