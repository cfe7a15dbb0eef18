/** Result of a command: a value, or a failure as data. */
import type { ErrorCode } from '../api/errors.ts';
import type { LeaseProblem } from '../lease.ts';

/** Codes of failures that arise on the client. */
export const clientErrorCodes = [
  /** No response: no network, connection refused, time-out, or an unexpected response (e.g. from a captive portal). */
  'SERVER_UNREACHABLE',
  'SERVER_RESPONSE_INVALID',
  'NOT_SIGNED_IN',
  /** The plan lacks the requested feature, named in `feature`. */
  'FEATURE_OFF',
  /** The server lacks an extension that the command needs. */
  'NOT_SUPPORTED_BY_SERVER',
  'FILE_UNREADABLE',
  'NOT_A_FILE',
  'FILE_NOT_WRITTEN',
  /** The given lease is not valid here; `problem` says why. */
  'LEASE_REFUSED',
  /** The opened link is no longer kept, or another one was opened since. */
  'LINK_EXPIRED',
  'OWN_INSTALLER_UNKNOWN',
  'INSTALLER_NOT_PUBLISHED',
  /** No version is offered, or none that this installation can install itself. */
  'UPDATE_NOT_PUBLISHED',
  'UPDATE_UNAVAILABLE',
  /** The offered version was not signed by the app's publisher. */
  'UPDATE_REFUSED',
  'UPDATE_FAILED',
  'SERVER_ADDRESS_INVALID',
  'STORE_UNAVAILABLE',
  /** The page's own code: the app may have been replaced while it runs. */
  'CODE_NOT_LOADED',
  'CANCELED',
  'INTERNAL',
] as const;

/** `unreachable`: the drive or network share does not respond. Only updates fail with the last two. */
export type FileProblem =
  | 'disk-full'
  | 'read-only'
  | 'no-permission'
  | 'missing'
  | 'in-use'
  | 'unreachable'
  | 'connection-lost'
  | 'not-signed';

type ClientErrorCode = (typeof clientErrorCodes)[number];

/** Why a command failed. The window has a message for each code; `message` is the server's own, if any. */
export type Failure = {
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  readonly message: string;
  /** Time of the failure, ISO 8601 UTC. */
  readonly at: string;
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;
  /** With SERVER_UNREACHABLE: what responded in place of the server, as far as known. */
  readonly respondedInstead?: { readonly kind: 'web-page' | 'gateway' | 'redirect'; readonly status: number };
  /** With SERVER_UNREACHABLE: the network stack's code. */
  readonly networkCode?: string;
  /** Why a file could not be read or written, or an update installed, as far as the system says. */
  readonly fileProblem?: FileProblem;
  /** With FEATURE_OFF: the feature that was off. */
  readonly feature?: string;
  /** With FEATURE_OFF: why. */
  readonly reason?: FeatureOffKind;
  /** With LEASE_REFUSED: what is wrong with the lease; `older`: a later one is in use or has ended since. */
  readonly problem?: LeaseProblem | 'other_account' | 'older';
};

/**
 * Why a feature is off: the plan lacks it, the license state turns everything off, the server has yet to sign a lease,
 * nobody is signed in, or the feature is unknown.
 */
type FeatureOffKind = 'plan' | 'license' | 'waiting-for-lease' | 'signed-out' | 'unknown-feature';

export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** Result of a command without a value. */
export type Done = Result<null>;

export function succeed<T>(value: T): Result<T> {
  return { ok: true, value };
}

export function fail(failure: Failure): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure };
}
