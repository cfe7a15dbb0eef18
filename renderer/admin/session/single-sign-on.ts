/** Signing in and confirming by the identity provider: leaving for it, and learning what became of it. */
import type { StaffSession } from '../../../shared/api/admin/session.ts';
import {
  readOutcome,
  type SingleSignOnOutcome,
  type SingleSignOnProblem,
} from '../../../shared/api/admin/single-sign-on-outcome.ts';
import { type Failure, fail, type Result, succeed } from '../../../shared/ipc/result.ts';
import { sendCall } from '../api/admin-calls.ts';

/** Tells the windows of this page what became of a sign-in that one of them began. */
const channelName = 'latchkey.admin.single-sign-on';
const placeKey = 'latchkey.admin.return-to';

/** Leaves the page for the provider, which returns to the screen that was open. */
export async function leaveForProvider(): Promise<Result<null>> {
  const started = await sendCall('startSingleSignOn', { body: {} });
  if (!started.ok) return fail(toUnavailable(started.failure));
  window.sessionStorage.setItem(placeKey, window.location.hash);
  window.location.assign(started.value.url);
  return succeed(null);
}

/** Opens the provider in a window of its own; the page learns by `watchOutcomes` what became of it. */
export async function openProvider(purpose: 'sign-in' | 'confirm'): Promise<Result<null>> {
  // Before anything is waited for: later, browsers would take it for an advertisement.
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

/** The outcome that the provider returned with, taken out of the address; the screen that was open before is there again. */
export function takeOutcome(): SingleSignOnOutcome | undefined {
  const outcome = readOutcome(window.location.hash);
  if (outcome === undefined) return undefined;
  const place = outcome.isNewWindow ? null : window.sessionStorage.getItem(placeKey);
  window.sessionStorage.removeItem(placeKey);
  window.history.replaceState(null, '', place || '#/overview');
  return outcome;
}

/** In the window that was opened: tells the page, and closes the window where the browser lets it. */
export function reportOutcome({ result }: SingleSignOnOutcome): void {
  const channel = new BroadcastChannel(channelName);
  channel.postMessage(result);
  channel.close();
  if (problemOf(result) === undefined) window.close();
}

/** Calls back with the session once a window has signed in or confirmed, or with the failure. Returns how to stop. */
export function watchOutcomes(onOutcome: (outcome: Promise<Result<StaffSession>>) => void): () => void {
  const channel = new BroadcastChannel(channelName);
  channel.addEventListener('message', ({ data }: MessageEvent<SingleSignOnOutcome['result']>) => {
    const problem = problemOf(data);
    onOutcome(problem === undefined ? sendCall('staffSession') : Promise.resolve(fail(newFailure(problem))));
  });
  return () => channel.close();
}

/** Why somebody was not let in; `undefined` if they were. */
export function problemOf(result: SingleSignOnOutcome['result']): SingleSignOnProblem | undefined {
  return result === 'signed_in' || result === 'confirmed' ? undefined : result;
}

export function newFailure(code: SingleSignOnProblem | 'SSO_BLOCKED'): Failure {
  return { code, message: code, at: new Date().toISOString() };
}

/** The provider is away, not this server: the other ways to sign in need not wait. */
function toUnavailable({ retryAfterSeconds, ...failure }: Failure): Failure {
  if (failure.code !== 'SERVICE_UNAVAILABLE') {
    return { ...failure, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
  }
  return { ...failure, code: 'SSO_UNAVAILABLE' };
}
