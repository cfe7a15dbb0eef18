/** The errors that the server throws on purpose: `ApiError` for a request, `StartError` for a failed start. */
import { type ErrorCode, errorTable } from '../shared/api/errors.ts';

/** Thrown by services; the HTTP error handler and the admin commands turn it into `{error, code}`. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  /**
   * How long to wait, in whole seconds: for RATE_LIMITED, SERVICE_UNAVAILABLE, and MAX_ACTIVATIONS_REACHED if a place
   * will become free on its own.
   */
  readonly retryAfterSeconds: number | undefined;

  /** `message` defaults to the one in the error table. */
  constructor(code: ErrorCode, message: string = errorTable[code].message, retryAfterSeconds?: number) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A rate limit, and how much of it is left. */
export type LimitState = {
  /** Name in the response headers. */
  readonly name: string;
  /** Requests per minute. */
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the full limit is available again, at least 1. */
  readonly resetSeconds: number;
};

/** RATE_LIMITED, with the limit that rejected the request. */
export class RateLimited extends ApiError {
  override name = 'RateLimited';
  readonly state: LimitState;

  constructor(state: LimitState) {
    super('RATE_LIMITED', errorTable.RATE_LIMITED.message, state.resetSeconds);
    this.state = state;
  }
}

/** Why the server or an admin command cannot start, as one line for the operator. */
export class StartError extends Error {
  override name = 'StartError';
}

/** Returns the message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the code of an error of Node or the system, such as `ENOENT`; empty for an error without one. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * Describes to an admin why a file could not be read, as a clause without a full stop, such as `there is no file /x`.
 */
export function describeUnreadable(path: string, error: unknown): string {
  const code = codeOf(error);
  if (code === 'ENOENT') return `there is no file ${path}`;
  if (code === 'EISDIR') return `${path} is a folder`;
  if (code === 'EACCES' || code === 'EPERM') return `this user may not read ${path}`;
  return messageOf(error);
}
