/** The time by the server's clock, for times that the server has set. */
import { useApp } from './store.ts';
import { useNow } from './use-timers.ts';

/** Returns how far this machine's clock is ahead of the server's, in ms. */
export function useClockAhead(): number {
  return useApp((app) => app.clockAheadMs ?? 0);
}

/** Returns the server's current time in ms since 1970. */
export function useServerNow(intervalMs?: number): number {
  return useNow(intervalMs) - useClockAhead();
}
