/** The user who sent a request, and the session of its token or cookie. */
export type SignedInUser = {
  readonly id: string;
  readonly sessionId: string;
  /** True for a session of the account page, which has a cookie and no refresh token. */
  readonly isBrowser: boolean;
};
