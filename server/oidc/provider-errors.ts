/** Refused sign-ins through the identity provider, and errors of the OpenID Connect library translated to them. */
import type { SingleSignOnProblem } from '../../shared/api/admin/single-sign-on-outcome.ts';
import { toPrintable } from '../../shared/formats/printable.ts';

/** A refused sign-in through the identity provider. */
export class SingleSignOnRefused extends Error {
  override name = 'SingleSignOnRefused';
  readonly problem: SingleSignOnProblem;
  /** True if the page waits in another window; taken from the refused attempt. */
  isNewWindow = false;
  /** Email of the person, if the provider vouches for it. */
  readonly email: string | undefined;

  /** `reason` is for the operator: one sentence, without secrets. */
  constructor(
    problem: SingleSignOnProblem,
    reason: string,
    { cause, email }: { readonly cause?: unknown; readonly email?: string } = {},
  ) {
    super(reason, { cause });
    this.email = email;
    this.problem = problem;
  }
}

/** An error of the library, which may have these fields; `error` is the provider's own code (RFC 6749). */
type LibraryError = Error & { readonly code?: unknown; readonly error?: unknown };

const maxReasonLength = 200;

/** Library codes for a missing or invalid response: a proxy's page, a crash or a timeout. */
const unavailableCodes: readonly unknown[] = [
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
];

/** Problems by the provider's own error code; any other code means that it refuses this server. */
const providerProblems: ReadonlyMap<string, SingleSignOnProblem> = new Map([
  ['access_denied', 'SSO_CANCELED'],
  // The code was already used or has expired.
  ['invalid_grant', 'SSO_EXPIRED'],
  ['server_error', 'SSO_UNAVAILABLE'],
  ['temporarily_unavailable', 'SSO_UNAVAILABLE'],
]);

/** Library code for an error that the browser has brought back in the callback's URL. */
const broughtByBrowser = 'OAUTH_AUTHORIZATION_RESPONSE_ERROR';

/** Codes that a provider sends that way (RFC 6749, section 4.1.2.1; OpenID Connect Core, section 3.1.2.6). */
const authorizationErrors: readonly string[] = [
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'invalid_request',
  'invalid_scope',
  'login_required',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_response_type',
];

export function toRefusal(error: unknown): SingleSignOnRefused {
  if (error instanceof SingleSignOnRefused) return error;
  const known: LibraryError = error instanceof Error ? error : new Error(String(error));
  return new SingleSignOnRefused(findProblem(known), describe(known), { cause: known });
}

function findProblem(known: LibraryError): SingleSignOnProblem {
  const { code, error } = known;
  if (typeof error === 'string') return providerProblems.get(error) ?? 'SSO_REFUSED';
  if (code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE') return 'SSO_REFUSED';
  // `fetch` throws a TypeError if there is no response.
  return known instanceof TypeError || unavailableCodes.includes(code) ? 'SSO_UNAVAILABLE' : 'SSO_UNTRUSTED';
}

/**
 * Describes the error without the response body, which may contain a token. The cause adds which claim or system error
 * it was. The audit log keeps the description, so it contains no text that the browser's user can choose.
 */
function describe({ message, code, error, cause }: LibraryError): string {
  if (code === broughtByBrowser && !authorizationErrors.includes(String(error))) {
    return 'the browser brought back an unknown error code';
  }
  const parts = [typeof error === 'string' ? error : message, cause instanceof Error ? cause.message : ''];
  return toPrintable(parts.filter((part) => part !== '').join(': ')).slice(0, maxReasonLength);
}
