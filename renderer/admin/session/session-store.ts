/** Stores who is signed in to the admin page. */
import { create } from 'zustand';
import type { StaffSession } from '../../../shared/api/admin/session.ts';
import type { SingleSignOnOutcome, SingleSignOnProblem } from '../../../shared/api/admin/single-sign-on-outcome.ts';
import type { AdminEndpointName } from '../../../shared/api/admin-endpoints.ts';
import type { Failure } from '../../../shared/ipc/result.ts';
import { mayCall, sendCall } from '../api/admin-calls.ts';
import { recordOutcome } from '../api/connection-store.ts';
import { answerPrompt } from './prompts.ts';
import { problemOf, reportOutcome, takeOutcome } from './single-sign-on.ts';

type SessionState =
  | { readonly kind: 'starting'; readonly failure: Failure | null }
  /** `problem` is set if signing in through the identity provider failed. */
  | { readonly kind: 'signed-out'; readonly problem?: SingleSignOnProblem }
  /** In a window opened for the identity provider. */
  | { readonly kind: 'returned'; readonly outcome: SingleSignOnOutcome }
  /** With the token of a one-time link. */
  | { readonly kind: 'welcome'; readonly token: string }
  | {
      readonly kind: 'signed-in';
      readonly session: StaffSession;
      /** True right after a sign-in with a password. */
      readonly offerPasskey: boolean;
    };

export const useSession = create<SessionState>()(() => ({ kind: 'starting', failure: null }));

const welcomePattern = /^#\/welcome\?(?:.*&)?token=([^&]+)/;

/**
 * Starts with a one-time link or the identity provider's outcome from the address; otherwise asks the server who is
 * signed in.
 */
export async function startSession(): Promise<void> {
  if (openWelcomeLink()) return;
  const outcome = takeOutcome();
  if (outcome?.isNewWindow) {
    useSession.setState({ kind: 'returned', outcome }, true);
    return reportOutcome(outcome);
  }
  const problem = outcome && problemOf(outcome.result);
  const result = await sendCall('staffSession');
  recordOutcome(result.ok ? null : result.failure.code);
  if (result.ok) return useSession.setState({ kind: 'signed-in', session: result.value, offerPasskey: false }, true);
  if (result.failure.code === 'INVALID_TOKEN') {
    return useSession.setState({ kind: 'signed-out', ...(problem !== undefined && { problem }) }, true);
  }
  useSession.setState({ kind: 'starting', failure: result.failure }, true);
}

/** Opens a one-time link, and removes its token from the address and the history. */
export function openWelcomeLink(): boolean {
  const token = welcomePattern.exec(window.location.hash)?.[1];
  if (token === undefined) return false;
  window.history.replaceState(null, '', '#/overview');
  useSession.setState({ kind: 'welcome', token }, true);
  return true;
}

export function setSignedIn(session: StaffSession, offerPasskey = false): void {
  useSession.setState({ kind: 'signed-in', session, offerPasskey }, true);
}

/** Sets the session to signed out; calls waiting for a sign-in or a confirmation are canceled. */
export function setSignedOut(): void {
  answerPrompt(false);
  useSession.setState({ kind: 'signed-out' }, true);
}

/** Returns the id of the signed-in staff member; `null` while nobody is signed in. */
export function signedInStaffId(state = useSession.getState()): string | null {
  return state.kind === 'signed-in' ? state.session.staff.id : null;
}

/** Returns the staff member's session. Throws while nobody is signed in, so use it only below `AdminLayout`. */
export function useStaffSession(): StaffSession {
  return useSession((state) => {
    if (state.kind !== 'signed-in') throw new Error('useStaffSession was called while nobody is signed in');
    return state.session;
  });
}

/** Returns whether the signed-in staff member has the role that an endpoint requires. */
export function useMay(name: AdminEndpointName): boolean {
  return mayCall(useStaffSession().staff.role, name);
}
