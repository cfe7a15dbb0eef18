/** How the answer of a command travels: a value, or a failure as data. */
import type { ErrorCode } from '../api/errors.ts';

/** Failures that arise on this side of the wire. */
export type ClientErrorCode =
  /** No answer: no network, refused, time-out, or an answer that is not the interface's (a captive portal, say). */
  | 'SERVER_UNREACHABLE'
  | 'SERVER_ANSWER_UNREADABLE'
  | 'NOT_SIGNED_IN'
  | 'NOT_ACTIVATED'
  /** The plan does not include what was asked; `feature` names it. */
  | 'FEATURE_OFF'
  /** The server lacks an extension that this act needs. */
  | 'NOT_SUPPORTED_BY_SERVER'
  | 'FILE_UNREADABLE'
  | 'FILE_NOT_WRITTEN'
  | 'OWN_INSTALLER_UNKNOWN'
  | 'INSTALLER_NOT_PUBLISHED'
  | 'SERVER_ADDRESS_INVALID'
  | 'STORE_UNAVAILABLE'
  | 'CANCELED'
  | 'INTERNAL';

/** A refusal as data; the window has the words for each code, `message` is the server's own sentence where there is one. */
export type Failure = {
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  readonly message: string;
  /** When it happened, ISO 8601 UTC. */
  readonly at: string;
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;
  /** The feature that was off, with FEATURE_OFF. */
  readonly feature?: string;
};

export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** The answer of a command that returns nothing but its success. */
export type Done = Result<null>;

export function succeed<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function fail(failure: Failure): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure };
}
