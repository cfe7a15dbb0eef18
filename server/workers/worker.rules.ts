/** When a worker that crashed is started again. */

const firstDelayMs = 500;
const maxDelayMs = 30_000;
/** A worker that ran so long was sound; its crash is the first of a series. */
const soundAfterMs = 60_000;

export type Crashes = {
  /** How many of them followed each other without a sound run in between. */
  readonly inARow: number;
  readonly delayMs: number;
};

/** At first after half a second, then after twice the time before, and at most after half a minute. */
export function decideRestart(before: number, ranForMs: number): Crashes {
  const inARow = ranForMs >= soundAfterMs ? 1 : before + 1;
  return { inARow, delayMs: Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(inARow - 1, 10)) };
}
