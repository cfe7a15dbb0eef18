/** The number on the app's icon in the dock or the taskbar, where the system shows one. */
import { app } from 'electron';
import type { AppState } from '../shared/ipc/app-state.ts';

/** How much there is that only the user can do something about; none where the user wants no notifications. */
export function badgeCount({ license, warnings, settings }: AppState): number {
  if (!settings.notifications) return 0;
  const isStopped = license.kind === 'blocked' || license.kind === 'offline-ended';
  return warnings.length + (isStopped ? 1 : 0);
}

/** Does nothing on a system that shows none. */
export function showBadge(count: number): void {
  app.setBadgeCount(count);
}
