/** Hooks that rerender a component as time passes. */
import { useEffect, useState } from 'react';

/** Returns the current time in ms since 1970, updated at each interval and when the window becomes visible. */
export function useNow(intervalMs = 15_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const update = () => setNow(Date.now());
    const timer = window.setInterval(update, intervalMs);
    document.addEventListener('visibilitychange', update);
    return () => {
      window.clearInterval(timer);
      document.removeEventListener('visibilitychange', update);
    };
  }, [intervalMs]);
  return now;
}

/** Returns true once the value has been the same for that long. For values that never return to an earlier one. */
export function useUnchanged(value: number, forMs: number): boolean {
  const [unchanged, setUnchanged] = useState<number | null>(null);
  useEffect(() => {
    const timer = window.setTimeout(() => setUnchanged(value), forMs);
    return () => window.clearTimeout(timer);
  }, [value, forMs]);
  return unchanged === value;
}

/** Returns true once `active` has been true for `delayMs`, so that quick work does not flicker. */
export function useDelayed(active: boolean, delayMs = 200): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!active) {
      setLate(false);
      return;
    }
    const timer = window.setTimeout(() => setLate(true), delayMs);
    return () => window.clearTimeout(timer);
  }, [active, delayMs]);
  return active && late;
}

const briefMs = 4000;

/** Returns a state that is `null` again a few seconds after it was set, such as what was just done. */
export function useBriefly<T>(): readonly [T | null, (value: T | null) => void] {
  const [value, setValue] = useState<T | null>(null);
  useEffect(() => {
    if (value === null) return;
    const timer = window.setTimeout(() => setValue(null), briefMs);
    return () => window.clearTimeout(timer);
  }, [value]);
  return [value, setValue];
}
