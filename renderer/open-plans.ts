/** Opens the page about plans in the browser, where the user may buy or renew one. */
import { bridge } from './account-bridge.ts';
import { runCommand } from './run-command.ts';
import { useAttempt } from './use-action.ts';

/**
 * The returned function opens the page. Checks the license when the user returns to the window, so that a purchase has
 * its effect without waiting.
 */
export function useOpenPlans(): () => void {
  const attempt = useAttempt();
  return () => {
    attempt(() => bridge.openLink({ name: 'plans' }));
    window.addEventListener('focus', checkLicense, { once: true });
  };
}

function checkLicense(): void {
  void runCommand(() => bridge.syncNow());
}
