/** What a failure means for the user: what happened, and what to do. */
import type { Failure } from '../../shared/ipc/result.ts';
import type { SharedTranslate } from './shared-messages.ts';

/** Codes for which the server says more than a translation could, and its messages for them that say nothing more. */
const genericMessages: Readonly<Record<string, string>> = {
  VALIDATION_ERROR: 'The request is not valid.',
  CONFLICT: 'This is not possible in the present state of the record.',
};

type FailureMessage = { readonly what: string; readonly help: string };

/** By the failure's code; for an unknown code, `what` is the server's own message. */
export function failureMessage(failure: Failure, t: SharedTranslate): FailureMessage {
  const known = findProblem(failure, t) ?? findMessage(failure.code, t);
  const message = known ?? { what: t('failure.other.what'), help: t('failure.other.help') };
  return usesServerMessage(failure, known !== undefined) ? { ...message, what: failure.message } : message;
}

/** What a failure's code means, in one sentence; any other text as it is. */
export function describeCode(text: string, t: SharedTranslate): string {
  return findMessage(text, t)?.what ?? text;
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

/** Only the server knows which field is invalid, what prevents it, and what an unknown code means. */
function usesServerMessage({ code, message }: Failure, isKnown: boolean): boolean {
  const generic = genericMessages[code];
  return (generic !== undefined || !isKnown) && message.trim() !== '' && message !== generic;
}

/** What is wrong with a lease, and what to do. */
function findProblem({ problem }: Failure, t: SharedTranslate): FailureMessage | undefined {
  return problem === undefined ? undefined : findTexts(`leaseProblem.${problem}`, t);
}

function findMessage(code: string, t: SharedTranslate): FailureMessage | undefined {
  return code === 'other' ? undefined : findTexts(`failure.${code}`, t);
}

function findTexts(path: string, t: SharedTranslate): FailureMessage | undefined {
  const [what, help] = [t.find(`${path}.what`), t.find(`${path}.help`)];
  return what === undefined || help === undefined ? undefined : { what, help };
}
