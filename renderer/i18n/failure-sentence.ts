/** A refusal in words: what happened, and what to do. */
import type { Failure } from '../../shared/ipc/result.ts';
import { en } from './locales/en.ts';
import type { Translate } from './use-sentences.ts';

type KnownCode = keyof typeof en.failure;

export type FailureSentence = { readonly what: string; readonly help: string };

/** Each code has its own words; of an unknown one the server's own sentence is shown. */
export function failureSentence(failure: Failure, t: Translate): FailureSentence {
  const code = isKnown(failure.code) ? failure.code : 'other';
  const sentence = { what: t(`failure.${code}.what`), help: t(`failure.${code}.help`) };
  if (speaksForItself(failure)) return { ...sentence, what: failure.message };
  return sentence;
}

/** When the person may try again, in milliseconds since the epoch; `null` where nothing has to be waited for. */
export function mayRetryAt(failure: Failure): number | null {
  if (failure.retryAfterSeconds === undefined) return null;
  return Date.parse(failure.at) + failure.retryAfterSeconds * 1000;
}

/** Whether the connection doctor can say more. */
export function isOfConnection({ code }: Failure): boolean {
  return code === 'SERVER_UNREACHABLE' || code === 'SERVER_RESPONSE_INVALID';
}

/** The server says best what it did not accept, and what a code means that we do not know. */
function speaksForItself(failure: Failure): boolean {
  const open = failure.code === 'VALIDATION_ERROR' || !isKnown(failure.code);
  return open && failure.message.trim() !== '' && failure.message !== 'The request is not valid.';
}

function isKnown(code: string): code is KnownCode {
  return code !== 'other' && Object.hasOwn(en.failure, code);
}
