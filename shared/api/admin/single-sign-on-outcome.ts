/** Encodes the outcome of single sign-on in the page's URL. Without zod, because the page bundles it. */

/** Why single sign-on was refused; also the codes of the page's messages. */
const singleSignOnProblems = [
  /** The provider is unreachable or fails. */
  'SSO_UNAVAILABLE',
  /** Canceled at the provider. */
  'SSO_CANCELED',
  /** The provider rejects this server's request, such as its client secret. */
  'SSO_REFUSED',
  /** The provider's response is not meant for this server, browser or sign-in, or is not signed by the provider. */
  'SSO_UNTRUSTED',
  /** Started more than ten minutes ago or in another browser, or already finished. */
  'SSO_EXPIRED',
  /** The provider does not state that it has verified the email address. */
  'SSO_UNVERIFIED_EMAIL',
  /** None of the user's groups maps to a role. */
  'SSO_NO_ROLE',
  /** The groups would demote the only owner, or the account's address has just changed. */
  'SSO_CONFLICT',
  /** A different user signed in to confirm an action. */
  'SSO_OTHER_ACCOUNT',
  /** The provider did not ask the member to sign in again. */
  'SSO_NOT_CONFIRMED',
  /** The session to confirm has ended. */
  'SSO_SESSION_ENDED',
] as const;
export type SingleSignOnProblem = (typeof singleSignOnProblems)[number];

export type SingleSignOnOutcome = {
  readonly result: 'signed_in' | 'confirmed' | SingleSignOnProblem;
  /** Whether the page is waiting in another window. */
  readonly isNewWindow: boolean;
};

const results: readonly SingleSignOnOutcome['result'][] = ['signed_in', 'confirmed', ...singleSignOnProblems];

/** Returns the URL hash that carries the outcome to the admin page. */
export function formatOutcome({ result, isNewWindow }: SingleSignOnOutcome): string {
  return `#/single-sign-on?result=${result}${isNewWindow ? '&window=new' : ''}`;
}

/** Parses such a hash; `undefined` for any other. */
export function readOutcome(hash: string): SingleSignOnOutcome | undefined {
  const [, given, window] = /^#\/single-sign-on\?result=(\w+)(&window=new)?$/.exec(hash) ?? [];
  const result = results.find((each) => each === given);
  return result && { result, isNewWindow: window !== undefined };
}
