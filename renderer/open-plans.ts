/** Opens the page about plans in the browser, where the user may buy or renew one. */
import { bridge } from './account-bridge.ts';
import { runCommand } from './run-command.ts';

/** Checks the license when the user returns to the window, so that a purchase has its effect without waiting. */
export function openPlans(): void {
  void runCommand(() => bridge.openLink({ name: 'plans' }));
  window.addEventListener('focus', checkLicense, { once: true });
}

function checkLicense(): void {
  void runCommand(() => bridge.syncNow());
}
