/** What a failure means for the user: what happened, and what to do. */
import type { Failure } from '../../shared/ipc/result.ts';
import type { SharedTranslate } from './shared-messages.ts';

/** The server's message for `VALIDATION_ERROR` where it names no field. */
const genericMessage = 'The request is not valid.';

type FailureMessage = { readonly what: string; readonly help: string };

/** By the failure's code; for an unknown code, `what` is the server's own message. */
export function failureMessage(failure: Failure, t: SharedTranslate): FailureMessage {
  const known = findMessage(failure.code, t);
  const message = known ?? { what: t('failure.other.what'), help: t('failure.other.help') };
  return usesServerMessage(failure, known !== undefined) ? { ...message, what: failure.message } : message;
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
function usesServerMessage({ code, message }: Failure, isKnown: boolean): boolean {
  const isGeneric = code === 'VALIDATION_ERROR' || !isKnown;
  return isGeneric && message.trim() !== '' && message !== genericMessage;
}

function findMessage(code: string, t: SharedTranslate): FailureMessage | undefined {
  const [what, help] = [t.find(`failure.${code}.what`), t.find(`failure.${code}.help`)];
  return what === undefined || help === undefined || code === 'other' ? undefined : { what, help };
}
