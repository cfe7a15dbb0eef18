/** Builds failures: errors as data, with a time and without secrets. */
import type { User } from '../../shared/api/auth.ts';
import { lastTimestampMs } from '../../shared/api/fields.ts';
import { clientErrorCodes, type Failure } from '../../shared/ipc/result.ts';
import type { Clock } from './platform.ts';

/**
 * Formats a time as the API does: ISO 8601 UTC with milliseconds. Later times become the last one that it can write.
 */
export function toTimestamp(epochMs: number): string {
  return new Date(Math.min(epochMs, lastTimestampMs)).toISOString();
}

/** Returns a failure with the current time. */
export function failureNow(
  clock: Clock,
  code: Failure['code'],
  message: string,
  more: Omit<Failure, 'code' | 'message' | 'at'> = {},
): Failure {
  return { code, message, at: toTimestamp(clock.now()), ...more };
}

/** The app has no default server, and the user has not chosen one yet. */
export function noServerYet(clock: Clock): Failure {
  return failureNow(clock, 'SERVER_ADDRESS_INVALID', 'No server is chosen yet.');
}

const maxMessageLength = 500;
const maxCodeLength = 64;
/** Anything shorter occurs in ordinary text. */
const minSecretLength = 6;

/** Removes the secrets that were sent to the server from its text. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= minSecretLength)
    .reduce((redacted, secret) => redacted.replaceAll(secret, '…'), text);
}

/** True if a call failed because its session has ended, which the window need not show. */
export function isEndOfSession({ code }: Failure, { user }: { readonly user: User | null }): boolean {
  return user === null || code === 'CANCELED' || code === 'NOT_SIGNED_IN';
}

const ownCodes: ReadonlySet<string> = new Set(clientErrorCodes);

/**
 * Limits a server's error code to 64 characters. A code reserved for the client would be mistaken for a failure on this
 * side, so it becomes `OTHER`.
 */
export function codeOfServer(code: string): string {
  return ownCodes.has(code) ? 'OTHER' : code.slice(0, maxCodeLength);
}

/** Limits a server's message to 500 characters. */
export function truncateMessage(text: string): string {
  return text.slice(0, maxMessageLength);
}
