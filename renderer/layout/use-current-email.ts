/** Keeps the user's email address current, which may be changed on another device. */
import { useEffect } from 'react';
import { bridge } from '../bridge.ts';
import { runCommand } from '../run-command.ts';
import { useApp, userIdOf, useStore } from '../store.ts';

/** Loads the address once the server can be reached, and whenever the user returns to the window. */
export function useCurrentEmail(): void {
  const mayAsk = useApp((app) => userIdOf(app) !== null && app.server.emailChange !== 'missing');
  const isOnline = useApp((app) => app.server.reachability.kind === 'online');
  // The settings load it themselves.
  const isAsked = useStore((store) => store.route !== 'settings') && mayAsk && isOnline;
  useEffect(() => {
    if (!isAsked) return;
    const load = () => void runCommand(() => bridge.loadEmail());
    load();
    window.addEventListener('focus', load);
    return () => window.removeEventListener('focus', load);
  }, [isAsked]);
}
