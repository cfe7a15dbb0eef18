/** How the page learns from its address what became of a sign-in at the identity provider. Free of zod, because the page uses it. */

/** Why a sign-in by single sign-on was refused, as the codes of its messages on the page. */
export const singleSignOnProblems = [
  /** The provider cannot be reached, or fails. */
  'SSO_UNAVAILABLE',
  /** Somebody canceled it at the provider. */
  'SSO_CANCELED',
  /** The provider does not accept what this server asks, such as its client secret. */
  'SSO_REFUSED',
  /** What came from the provider is not meant for this server, this browser or this sign-in, or is not signed by the provider. */
  'SSO_UNTRUSTED',
  /** It was begun more than ten minutes ago, in another browser, or is over already. */
  'SSO_EXPIRED',
  /** The provider does not say that it has verified the email address. */
  'SSO_UNVERIFIED_EMAIL',
  /** None of the person's groups has a role. */
  'SSO_NO_ROLE',
  /** The groups would make the only owner less than that; or the address of the account has just changed. */
  'SSO_CONFLICT',
  /** Somebody else signed in where a member had to confirm. */
  'SSO_OTHER_ACCOUNT',
  /** The provider did not ask the member to sign in again. */
  'SSO_NOT_CONFIRMED',
  /** The session that was to be confirmed has ended. */
  'SSO_SESSION_ENDED',
] as const;
export type SingleSignOnProblem = (typeof singleSignOnProblems)[number];

export type SingleSignOnOutcome = {
  readonly result: 'signed_in' | 'confirmed' | SingleSignOnProblem;
  /** Whether the page waits in another window. */
  readonly isNewWindow: boolean;
};

const results: readonly SingleSignOnOutcome['result'][] = ['signed_in', 'confirmed', ...singleSignOnProblems];

/** The hash of the admin page that says so. */
export function formatOutcome({ result, isNewWindow }: SingleSignOnOutcome): string {
  return `#/single-sign-on?result=${result}${isNewWindow ? '&window=new' : ''}`;
}

/** `undefined` for any other hash. */
export function readOutcome(hash: string): SingleSignOnOutcome | undefined {
  const [, given, window] = /^#\/single-sign-on\?result=(\w+)(&window=new)?$/.exec(hash) ?? [];
  const result = results.find((each) => each === given);
  return result && { result, isNewWindow: window !== undefined };
}
