/** The number on the app's icon in the dock or the taskbar, where the system shows one. */
import { app } from 'electron';
import type { AppState } from '../shared/ipc/app-state.ts';
import { countProblems } from './problems.ts';

/** Returns the number of problems that need the user's action; 0 if notifications are turned off. */
export function badgeCount(state: AppState): number {
  return state.settings.notifications ? countProblems(state) : 0;
}

/** Shows the number; does nothing on a system without badges. */
export function showBadge(count: number): void {
  app.setBadgeCount(count);
}
