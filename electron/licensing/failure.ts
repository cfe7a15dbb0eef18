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

const longestMessage = 500;

/** A text from outside without the secrets that were sent, and of bounded length. */
export function concealSecrets(text: string, secrets: readonly string[]): string {
  const concealed = secrets.reduce((left, secret) => (secret === '' ? left : left.replaceAll(secret, '…')), text);
  return concealed.slice(0, longestMessage);
}
