/**
 * A sign-in that a browser has started and takes to the identity provider. The browser keeps it sealed in a cookie, so
 * starting one writes nothing, any server process can finish it, and only that browser can. Its use is recorded, so
 * that it cannot be used twice.
 */
import type { CommonDeps } from '../common-deps.ts';
import { decrypt, deriveKey, encrypt } from '../encryption.ts';
import { newSecretToken } from '../secret-token.ts';

/** Purpose of an attempt: a sign-in, or the confirmation of one session of a member. */
type AttemptPurpose =
  | { readonly kind: 'sign_in' }
  | { readonly kind: 'confirm'; readonly sessionId: string; readonly userId: string };

export type SignInAttempt = {
  readonly purpose: AttemptPurpose;
  /** Identifies the attempt; the provider returns it with its answer. */
  readonly state: string;
  /** Value that the ID token must contain. */
  readonly nonce: string;
  /** Proves to the provider that the authorization code is ours (PKCE). */
  readonly codeVerifier: string;
  /** The URL that the provider sends the browser back to. */
  readonly callbackUrl: string;
  readonly startedAtMs: number;
  /** True if the page waits in another window. */
  readonly isNewWindow: boolean;
  /** Token of the browser's existing session; browsers do not send that cookie when they return from another site. */
  readonly previousToken?: string;
};

export type NewAttempt = Pick<SignInAttempt, 'purpose' | 'callbackUrl' | 'isNewWindow' | 'previousToken'>;

type SignInAttemptsDeps = Pick<CommonDeps, 'secrets' | 'clock' | 'random'>;

/** Time allowed for the sign-in at the provider, in ms. */
export const attemptTtlMs = 10 * 60_000;

const context = 'attempt';

export class SignInAttempts {
  readonly #deps: SignInAttemptsDeps;

  constructor(deps: SignInAttemptsDeps) {
    this.#deps = deps;
  }

  create(attempt: NewAttempt): SignInAttempt {
    const { random } = this.#deps;
    const secrets = {
      state: newSecretToken(random),
      nonce: newSecretToken(random),
      codeVerifier: newSecretToken(random),
    };
    return { ...attempt, ...secrets, startedAtMs: this.#deps.clock.now() };
  }

  /** Returns the cookie value. */
  seal(attempt: SignInAttempt): string {
    return encrypt(this.#key(), Buffer.from(JSON.stringify(attempt)), context, this.#deps.random);
  }

  /** Opens a cookie value; returns `undefined` if it was not sealed here or is older than ten minutes. */
  open(sealed: string): SignInAttempt | undefined {
    const attempt = this.#decrypt(sealed);
    if (!attempt) return undefined;
    const ageMs = this.#deps.clock.now() - attempt.startedAtMs;
    return ageMs >= 0 && ageMs < attemptTtlMs ? attempt : undefined;
  }

  #decrypt(sealed: string): SignInAttempt | undefined {
    try {
      return JSON.parse(decrypt(this.#key(), sealed, context).toString());
    } catch {
      return undefined;
    }
  }

  #key(): Buffer {
    return deriveKey(this.#deps.secrets.pepper, 'attempts of single sign-on');
  }
}
