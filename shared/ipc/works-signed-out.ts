/** Which parts of the window work while nobody is signed in. */
import type { AppState } from './app-state.ts';

/** Returns whether a lease makes everything work although nobody is signed in. */
export function worksSignedOut({ session, license }: AppState): boolean {
  return session.kind === 'signed-out' && (license.kind === 'works' || license.kind === 'offline');
}

/** Returns whether the window shows its screens; otherwise it can only ask for a sign-in. */
export function hasScreens(state: AppState): boolean {
  return state.session.kind === 'signed-in' || worksSignedOut(state);
}
