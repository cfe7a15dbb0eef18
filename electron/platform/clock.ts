/** The machine's clocks and timers. */
import { performance } from 'node:perf_hooks';
import type { Clock } from '../licensing/platform.ts';

/** Node runs a longer delay at once, so it is cut to the longest it can keep. */
const longestDelayMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: (delayMs, callback) => {
    const timer = setTimeout(callback, Math.min(Math.max(0, delayMs), longestDelayMs));
    return () => clearTimeout(timer);
  },
};
