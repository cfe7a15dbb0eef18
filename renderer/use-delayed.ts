/** Waits before something is shown, so that quick work does not flicker. */
import { useEffect, useState } from 'react';

/** True once `active` has been true for longer than 200 ms. */
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
