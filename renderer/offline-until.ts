/** Until when everything works offline. */
import type { AppState } from '../shared/ipc/app-state.ts';

/** Returns until when everything works offline; `null` if nothing works or it is unknown. */
export function offlineUntil({ license }: Pick<AppState, 'license'>): string | null {
  return license.kind === 'works' || license.kind === 'offline' ? license.worksUntil : null;
}
