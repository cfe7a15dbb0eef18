/** The one way in which a service refuses: a code of the error table, and the sentence that goes with it. */
import { type ErrorCode, errorTable } from '../shared/api/errors.ts';

/** Thrown by services; the HTTP error handler turns it into status and envelope, the admin command into `{error, code}`. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  /** For RATE_LIMITED and SERVICE_UNAVAILABLE: how long to wait, in whole seconds. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string = errorTable[code].message, retryAfterSeconds?: number) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
