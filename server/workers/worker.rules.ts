/** Decides when a crashed worker is started again. */

const firstDelayMs = 500;
const maxDelayMs = 30_000;
/** After a run of this length, a crash counts as the first of a new series. */
const soundAfterMs = 60_000;

type Crashes = {
  /** Number of consecutive crashes without a run of `soundAfterMs` in between. */
  readonly inARow: number;
  readonly delayMs: number;
};

/** The delay starts at half a second, doubles with each crash, and is half a minute at most. */
export function decideRestart(before: number, ranForMs: number): Crashes {
  const inARow = ranForMs >= soundAfterMs ? 1 : before + 1;
  return { inARow, delayMs: Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(inARow - 1, 10)) };
}
