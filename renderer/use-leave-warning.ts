/** Makes the browser ask before the page is closed or loaded again, for what would be lost. */
import { useEffect } from 'react';

/** Not for Electron, which asks nothing: the app would not quit, and nobody would know why. */
export function useLeaveWarning(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isNeeded]);
}
