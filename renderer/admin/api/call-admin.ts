/**
 * Calls the server as the signed-in staff member, and prompts for a sign-in or confirmation when a call requires it.
 */
import type { AdminEndpointName, AdminResponseOf } from '../../../shared/api/admin-endpoints.ts';
import { type Failure, fail, type Result } from '../../../shared/ipc/result.ts';
import { failureNow } from '../../run-command.ts';
import { askFor, type Prompt } from '../session/prompts.ts';
import { setSignedIn, signedInStaffId } from '../session/session-store.ts';
import { type CallOptions, needsSession, sendCall } from './admin-calls.ts';
import { recordOutcome } from './connection-store.ts';

/** Limits the prompts if a server keeps asking. */
const maxPrompts = 3;

/** Calls an endpoint, and repeats the call after a required sign-in or confirmation; CANCELED if the user declines. */
export function callAdmin<N extends AdminEndpointName>(
  name: N,
  options: CallOptions<N> = {},
): Promise<Result<AdminResponseOf<N>>> {
  return withPrompts(name, () => sendCall(name, options));
}

/** Like `callAdmin`, for a call made by `send`. CANCELED if another staff member has signed in meanwhile. */
export async function withPrompts<T>(name: AdminEndpointName, send: () => Promise<Result<T>>): Promise<Result<T>> {
  const begunBy = signedInStaffId();
  for (let prompts = 0; ; prompts += 1) {
    const result = await send();
    recordOutcome(result.ok ? null : result.failure.code);
    if (needsSession(name) && signedInStaffId() !== begunBy)
      return fail(failureNow('CANCELED', 'Somebody else is signed in now.'));
    if (result.ok) return result;
    if (result.failure.code === 'FORBIDDEN') await refreshSession();
    const prompt = needsSession(name) ? promptFor(result.failure) : null;
    if (prompt === null || prompts === maxPrompts) return result;
    if (!(await askFor(prompt))) return fail({ ...result.failure, code: 'CANCELED' });
  }
}

/** The role may have changed since it was read; what it no longer includes is then hidden. */
async function refreshSession(): Promise<void> {
  const result = await sendCall('staffSession');
  if (result.ok && result.value.staff.id === signedInStaffId()) setSignedIn(result.value);
}

function promptFor({ code }: Failure): Prompt | null {
  if (code === 'INVALID_TOKEN') return 'sign-in';
  return code === 'CONFIRMATION_REQUIRED' ? 'confirm' : null;
}
