/** What a failure means for the user: what happened, and what to do. */
import type { Failure } from '../../shared/ipc/result.ts';
import type { Messages } from './locales/en.ts';
import type { Translate } from './messages.ts';

/** The server's message for `VALIDATION_ERROR` where it names no field. */
const genericMessage = 'The request is not valid.';

type KnownCode = keyof Messages['failure'];

type FailureMessage = { readonly what: string; readonly help: string };

/** By the failure's code; for an unknown code, `what` is the server's own message. */
export function failureMessage(failure: Failure, t: Translate): FailureMessage {
  const code = isKnown(failure.code, t) ? failure.code : 'other';
  const message = { what: t(`failure.${code}.what`), help: t(`failure.${code}.help`) };
  if (usesServerMessage(failure, t)) return { ...message, what: failure.message };
  return message;
}

/** When to try again, in milliseconds since the epoch; `null` if there is no need to wait. */
export function retryAtMs(failure: Failure): number | null {
  if (failure.retryAfterSeconds === undefined) return null;
  return Date.parse(failure.at) + failure.retryAfterSeconds * 1000;
}

/** Whether the connection doctor can find the cause. */
export function isConnectionFailure({ code }: Failure): boolean {
  return code === 'SERVER_UNREACHABLE' || code === 'SERVER_RESPONSE_INVALID';
}

/** Only the server knows which field is invalid, and what an unknown code means. */
function usesServerMessage(failure: Failure, t: Translate): boolean {
  const isGeneric = failure.code === 'VALIDATION_ERROR' || !isKnown(failure.code, t);
  return isGeneric && failure.message.trim() !== '' && failure.message !== genericMessage;
}

function isKnown(code: string, t: Translate): code is KnownCode {
  return code !== 'other' && t.has(`failure.${code}.what`);
}
