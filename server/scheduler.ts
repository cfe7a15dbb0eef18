/**
 * Waiting as a parameter, next to `Clock` and `Random`: with all three passed in, the whole server can run from a seed.
 */
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';

/** Cancels a timer; its callback is not called afterwards. */
export type Cancel = () => void;

export type Scheduler = {
  /** Resolves after that many ms. The process stays alive meanwhile. */
  sleep(delayMs: number): Promise<void>;
  /** Calls back once, after that many ms. Does not keep the process alive. */
  timeout(delayMs: number, callback: () => void): Cancel;
  /** Calls back repeatedly, at that interval in ms. Does not keep the process alive. */
  every(intervalMs: number, callback: () => void): Cancel;
  /** Resolves once everything else that is due in this event loop turn has run. */
  nextTurn(): Promise<void>;
};

/** Uses Node's timers. */
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
