/** Waiting as a parameter, beside `Clock` and `Random`: with all three passed in, the whole server runs under a seed. */
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';

/** Ends a timer. After it was called, the callback is not. */
export type Cancel = () => void;

export type Scheduler = {
  /** Resolves after that many milliseconds. The process stays alive meanwhile. */
  sleep(delayMs: number): Promise<void>;
  /** Calls back once, after that many milliseconds. Does not keep the process alive. */
  timeout(delayMs: number, callback: () => void): Cancel;
  /** Calls back again and again, at that interval in milliseconds. Does not keep the process alive. */
  every(intervalMs: number, callback: () => void): Cancel;
  /** Resolves when everything else that is due has had its turn of the event loop. */
  nextTurn(): Promise<void>;
};

/** The timers of Node. */
export const systemScheduler: Scheduler = {
  sleep: (delayMs) => wait(delayMs),
  timeout(delayMs, callback) {
    const timer = setTimeout(callback, delayMs).unref();
    return () => clearTimeout(timer);
  },
  every(intervalMs, callback) {
    const timer = setInterval(callback, intervalMs).unref();
    return () => clearInterval(timer);
  },
  nextTurn: () => turn(),
};
