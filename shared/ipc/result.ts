/** The result of a command: a value, or a failure as data. */
import type { ErrorCode } from '../api/errors.ts';
import type { LeaseProblem } from '../lease.ts';

/** Failures that arise on this side of the wire. */
export const clientErrorCodes = [
  /** No response: no network, connection refused, time-out, or something else answered (e.g. a captive portal). */
  'SERVER_UNREACHABLE',
  'SERVER_RESPONSE_INVALID',
  'NOT_SIGNED_IN',
  /** The plan does not include what was asked; `feature` names it. */
  'FEATURE_OFF',
  /** The server lacks an extension that the command needs. */
  'NOT_SUPPORTED_BY_SERVER',
  'FILE_UNREADABLE',
  'NOT_A_FILE',
  'FILE_NOT_WRITTEN',
  /** A lease that was brought here does not count; `problem` says why. */
  'LEASE_REFUSED',
  /** A link that was opened is not kept any more, or another one was opened since. */
  'LINK_EXPIRED',
  'OWN_INSTALLER_UNKNOWN',
  'INSTALLER_NOT_PUBLISHED',
  /** No version is offered, or none that this installation can install by itself. */
  'UPDATE_NOT_PUBLISHED',
  'UPDATE_UNAVAILABLE',
  /** What is offered was not signed by the publisher of the app. */
  'UPDATE_REFUSED',
  'UPDATE_FAILED',
  'SERVER_ADDRESS_INVALID',
  'STORE_UNAVAILABLE',
  'CANCELED',
  'INTERNAL',
] as const;

export type ClientErrorCode = (typeof clientErrorCodes)[number];

/** Why a command failed. The window has a message for each code; `message` is the server's own, if it sent one. */
export type Failure = {
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  readonly message: string;
  /** When it happened, ISO 8601 UTC. */
  readonly at: string;
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;
  /** With FEATURE_OFF: the feature that was off. */
  readonly feature?: string;
  /** With FEATURE_OFF: why. */
  readonly reason?: FeatureOffKind;
  /** With LEASE_REFUSED: what is wrong with the lease; `older`: a later one is in use, or has ended since. */
  readonly problem?: LeaseProblem | 'other_account' | 'older';
};

/**
 * Why a feature is off: the plan lacks it, the license turns all off, the server has yet to sign a lease, nobody is signed
 * in, or nobody knows the feature.
 */
export type FeatureOffKind = 'plan' | 'license' | 'waiting-for-lease' | 'signed-out' | 'unknown-feature';

export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** The result of a command that has no value. */
export type Done = Result<null>;

export function succeed<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function fail(failure: Failure): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure };
}
