/** Builds failures: refusals as data, stamped with the time and free of secrets. */
import type { Failure } from '../../shared/ipc/result.ts';
import type { Clock } from './platform.ts';

/** An instant as the interface writes it. */
export function instantOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** A failure that happened now. */
export function failureNow(
  clock: Clock,
  code: Failure['code'],
  message: string,
  more: Pick<Failure, 'requestId' | 'retryAfterSeconds' | 'feature'> = {},
): Failure {
  return { code, message, at: instantOf(clock.now()), ...more };
}

const longestSentence = 500;
const longestCode = 64;
/** What is shorter occurs in any text and is no secret worth the name. */
const shortestSecret = 6;

/** A text from outside without the secrets that were sent. */
export function concealSecrets(text: string, secrets: readonly string[]): string {
  const worthHiding = secrets.filter((secret) => secret.length >= shortestSecret);
  return worthHiding.reduce((left, secret) => left.replaceAll(secret, '…'), text);
}

/** Whether a call ended because the session did, which is no fault to show. */
export function isEndOfSession({ code }: Failure): boolean {
  return code === 'CANCELED' || code === 'NOT_SIGNED_IN';
}

/** A code from outside, of bounded length. */
export function boundCode(code: string): string {
  return code.slice(0, longestCode);
}

/** A sentence from outside, of bounded length. */
export function boundSentence(text: string): string {
  return text.slice(0, longestSentence);
}
