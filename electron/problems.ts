/** Problems that need the user's action, as the tray, the app's icon and notifications show them. Pure. */
import type { AppState } from '../shared/ipc/app-state.ts';
import { lastingProblem } from '../shared/ipc/lasting-problem.ts';
import { hasSessionEnded } from '../shared/ipc/session-ended.ts';

/** Returns whether nothing works here because this device's activation ended elsewhere. */
export function wasReleasedElsewhere({ license, thisDevice }: Pick<AppState, 'license' | 'thisDevice'>): boolean {
  return license.kind === 'not-activated' && thisDevice?.releasedElsewhere === true;
}

/** Counts the warnings, a license that has stopped working, and a session that ended without the user's doing. */
export function countProblems(state: AppState): number {
  const { license, lease, session, warnings } = state;
  const isRefused = license.kind === 'waiting-for-lease' && lastingProblem(lease.problem) !== null;
  const hasStopped = isRefused || license.kind === 'blocked' || license.kind === 'offline-ended';
  const isSignedOut = session.kind === 'signed-out' && hasSessionEnded(session.reason);
  return warnings.length + Number(hasStopped || wasReleasedElsewhere(state)) + Number(isSignedOut);
}
