/** What the errors of the OpenID Connect library mean for the person who signs in. */
import type { SingleSignOnProblem } from '../../shared/api/admin/single-sign-on-outcome.ts';
import { toPrintable } from '../../shared/formats/printable.ts';
import { SingleSignOnRefused } from './single-sign-on-refused.ts';

/** As far as errors of the library have them; `error` is the provider's own code (RFC 6749). */
type LibraryError = Error & { readonly code?: unknown; readonly error?: unknown };

const maxReasonLength = 200;

/** Codes of the library for a response that is none: a proxy's page, a crash, or nothing within the time. */
const unavailableCodes: readonly unknown[] = [
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
];

/** What the provider itself answers, by its code; anything else is that it refuses us. */
const providerProblems: Readonly<Record<string, SingleSignOnProblem>> = {
  access_denied: 'SSO_CANCELED',
  // The code was used already, or is too old.
  invalid_grant: 'SSO_EXPIRED',
  server_error: 'SSO_UNAVAILABLE',
  temporarily_unavailable: 'SSO_UNAVAILABLE',
};

export function toRefusal(error: unknown): SingleSignOnRefused {
  if (error instanceof SingleSignOnRefused) return error;
  const known: LibraryError = error instanceof Error ? error : new Error(String(error));
  return new SingleSignOnRefused(findProblem(known), describe(known), { cause: known });
}

function findProblem(known: LibraryError): SingleSignOnProblem {
  const { code, error } = known;
  if (typeof error === 'string') return providerProblems[error] ?? 'SSO_REFUSED';
  if (code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE') return 'SSO_REFUSED';
  // `fetch` throws a TypeError where there is no response.
  return known instanceof TypeError || unavailableCodes.includes(code) ? 'SSO_UNAVAILABLE' : 'SSO_UNTRUSTED';
}

/** Without the body of a response, which may contain a token. The cause says more: which claim, or which system error. */
function describe({ message, error, cause }: LibraryError): string {
  const parts = [typeof error === 'string' ? error : message, cause instanceof Error ? cause.message : ''];
  return toPrintable(parts.filter((part) => part !== '').join(': ')).slice(0, maxReasonLength);
}
