/** The number on the app's icon in the dock or the taskbar, where the system shows one. */
import { app } from 'electron';
import type { AppState } from '../shared/ipc/app-state.ts';

/** Returns the number of problems that need the user's action; 0 if notifications are turned off. */
export function badgeCount({ license, warnings, settings, thisDevice }: AppState): number {
  if (!settings.notifications) return 0;
  const isReleased = license.kind === 'not-activated' && thisDevice?.releasedElsewhere === true;
  const isStopped = isReleased || license.kind === 'blocked' || license.kind === 'offline-ended';
  return warnings.length + (isStopped ? 1 : 0);
}

/** Shows the number; does nothing on a system without badges. */
export function showBadge(count: number): void {
  app.setBadgeCount(count);
}
