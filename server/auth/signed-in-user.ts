/** The user who sent a request, and the client that it came from. */
import type { Language } from '../../shared/ipc/language.ts';

/** The client, and the language of the mails that its request causes. */
export type Client = { readonly address: string; readonly language: Language };

/** The client that signs in. */
export type SignInClient = Client & { readonly userAgent: string };

/** The user, and the session of the request's token or cookie. */
export type SignedInUser = {
  readonly id: string;
  readonly sessionId: string;
  /** True for a session of the account page, which has a cookie and no refresh token. */
  readonly isBrowser: boolean;
};
