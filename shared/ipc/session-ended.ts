/** Distinguishes a session that ended on its own from one that the user ended. */
import type { SignedOutReason } from './app-state.ts';

/** Returns whether the session has expired or was ended by the server. */
export function hasSessionEnded(reason: SignedOutReason | null): reason is 'session-expired' | 'session-revoked' {
  return reason === 'session-expired' || reason === 'session-revoked';
}
