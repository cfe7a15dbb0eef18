/** Signs in and confirms through the identity provider: navigates to it and reads the outcome. */
import type { StaffSession } from '../../../shared/api/admin/session.ts';
import {
  readOutcome,
  type SingleSignOnOutcome,
  type SingleSignOnProblem,
} from '../../../shared/api/admin/single-sign-on-outcome.ts';
import { type Failure, fail, type Result, succeed } from '../../../shared/ipc/result.ts';
import { failureNow } from '../../run-command.ts';
import { sendCall } from '../api/admin-calls.ts';

/** Channel that tells this page's windows the outcome of a sign-in that one of them started. */
const channelName = 'latchkey.admin.single-sign-on';
const placeKey = 'latchkey.admin.return-to';

/** Navigates to the provider, which returns to the screen that was open. */
export async function leaveForProvider(): Promise<Result<null>> {
  const started = await sendCall('startSingleSignOn', { body: {} });
  if (!started.ok) return fail(toUnavailable(started.failure));
  window.sessionStorage.setItem(placeKey, window.location.hash);
  window.location.assign(started.value.url);
  return succeed(null);
}

/** Opens the provider in a separate window; the page learns the outcome through `watchOutcomes`. */
export async function openProvider(purpose: 'sign-in' | 'confirm'): Promise<Result<null>> {
  // Opened before any await, because browsers block later popups.
  const opened = window.open('', '_blank', 'popup,width=520,height=720');
  if (opened === null) return fail(newFailure('SSO_BLOCKED'));
  const started =
    purpose === 'confirm'
      ? await sendCall('confirmBySingleSignOn')
      : await sendCall('startSingleSignOn', { body: { new_window: true } });
  if (started.ok) opened.location.replace(started.value.url);
  else opened.close();
  return started.ok ? succeed(null) : fail(toUnavailable(started.failure));
}

/** Returns the provider's outcome from the address, removes it, and restores the screen that was open before. */
export function takeOutcome(): SingleSignOnOutcome | undefined {
  const outcome = readOutcome(window.location.hash);
  if (outcome === undefined) return undefined;
  const place = outcome.isNewWindow ? null : window.sessionStorage.getItem(placeKey);
  window.sessionStorage.removeItem(placeKey);
  window.history.replaceState(null, '', place || '#/overview');
  return outcome;
}

/** Called in the opened window: reports the outcome to the page, and closes the window if the browser allows it. */
export function reportOutcome({ result }: SingleSignOnOutcome): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(result);
  channel.close();
  if (problemOf(result) === undefined) window.close();
}

/**
 * Calls back with the session once a window has signed in or confirmed, or with the failure. Returns a function that
 * stops it.
 */
export function watchOutcomes(onOutcome: (outcome: Promise<Result<StaffSession>>) => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener('message', ({ data }: MessageEvent<SingleSignOnOutcome['result']>) => {
    const problem = problemOf(data);
    onOutcome(problem === undefined ? sendCall('staffSession') : Promise.resolve(fail(newFailure(problem))));
  });
  return () => channel.close();
}

/** Returns why the sign-in was refused; `undefined` if it succeeded. */
export function problemOf(result: SingleSignOnOutcome['result']): SingleSignOnProblem | undefined {
  return result === 'signed_in' || result === 'confirmed' ? undefined : result;
}

export function newFailure(code: SingleSignOnProblem | 'SSO_BLOCKED'): Failure {
  return failureNow(code, code);
}

/** Replaces the code, because the provider is unavailable, not this server: other ways to sign in need not wait. */
function toUnavailable({ retryAfterSeconds, ...failure }: Failure): Failure {
  if (failure.code !== 'SERVICE_UNAVAILABLE') {
    return { ...failure, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  }
  return { ...failure, code: 'SSO_UNAVAILABLE' };
}
