/** Keeps the user's email address current, which may be changed on another device or by a mailed link. */
import { useEffect } from 'react';
import { bridge } from './account-bridge.ts';
import { runCommand } from './run-command.ts';

/** While `isAsked`, loads the address at once and whenever the user returns to the window. */
export function useCurrentEmail(isAsked: boolean): void {
  useEffect(() => {
    if (!isAsked) return;
    const load = () => void runCommand(() => bridge.loadEmail());
    load();
    window.addEventListener('focus', load);
    return () => window.removeEventListener('focus', load);
  }, [isAsked]);
}
