/** Builds failures: errors as data, with a time and without secrets. */
import { lastTimestampMs } from '../../shared/api/fields.ts';
import { clientErrorCodes, type Failure } from '../../shared/ipc/result.ts';
import type { Clock } from './platform.ts';

/** A time as the API writes it: ISO 8601 UTC with milliseconds. The last moment that it can write stands for later ones. */
export function toTimestamp(epochMs: number): string {
  return new Date(Math.min(epochMs, lastTimestampMs)).toISOString();
}

/** A failure that happened now. */
export function failureNow(
  clock: Clock,
  code: Failure['code'],
  message: string,
  more: Pick<Failure, 'requestId' | 'retryAfterSeconds' | 'feature' | 'reason' | 'problem'> = {},
): Failure {
  return { code, message, at: toTimestamp(clock.now()), ...more };
}

/** The app has no server of its own, and the user has not chosen one yet. */
export function noServerYet(clock: Clock): Failure {
  return failureNow(clock, 'SERVER_ADDRESS_INVALID', 'No server is chosen yet.');
}

const maxMessageLength = 500;
const maxCodeLength = 64;
/** Anything shorter occurs in ordinary text. */
const minSecretLength = 6;

/** A text from the server without the secrets that were sent to it. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= minSecretLength)
    .reduce((redacted, secret) => redacted.replaceAll(secret, '…'), text);
}

/** Whether a call failed because the session ended, which the window need not show. */
export function isEndOfSession({ code }: Failure): boolean {
  return code === 'CANCELED' || code === 'NOT_SIGNED_IN';
}

const ownCodes: ReadonlySet<string> = new Set(clientErrorCodes);

/**
 * An error code from the server, limited to 64 characters. One that only this side gives would say what has happened here,
 * so it counts as one that nobody knows.
 */
export function codeOfServer(code: string): string {
  return ownCodes.has(code) ? 'OTHER' : code.slice(0, maxCodeLength);
}

/** A message from the server, limited to 500 characters. */
export function truncateMessage(text: string): string {
  return text.slice(0, maxMessageLength);
}
