/** Whether the window has screens although nobody is signed in. */
import type { AppState } from './app-state.ts';

/** Whether everything works by a lease although nobody is signed in. */
export function worksSignedOut({ session, license }: AppState): boolean {
  return session.kind === 'signed-out' && (license.kind === 'works' || license.kind === 'offline');
}

/** Whether the window has its screens; otherwise it can only ask for a sign-in. */
export function hasScreens(state: AppState): boolean {
  return state.session.kind === 'signed-in' || worksSignedOut(state);
}
