/**
 * A sign-in that a browser has begun and takes to the identity provider. The browser keeps it, sealed, in a cookie: so asking
 * for one writes nothing, any server process can finish it, and only the browser that began it can. That none is used
 * twice is recorded when it is used.
 */
import type { CommonDeps } from '../common-deps.ts';
import { decrypt, deriveKey, encrypt } from '../encryption.ts';
import { newSecretToken } from '../secret-token.ts';

/** What the attempt is for: a sign-in, or the confirmation of one session of a member. */
export type AttemptPurpose =
  | { readonly kind: 'sign_in' }
  | { readonly kind: 'confirm'; readonly sessionId: string; readonly userId: string };

export type SignInAttempt = {
  readonly purpose: AttemptPurpose;
  /** What the provider returns with its answer; names the attempt. */
  readonly state: string;
  /** What the ID token must contain. */
  readonly nonce: string;
  /** Proves to the provider that the code is ours (PKCE). */
  readonly codeVerifier: string;
  /** Where the provider sends the browser back to. */
  readonly callbackUrl: string;
  readonly startedAtMs: number;
  /** Whether the page waits in another window. */
  readonly isNewWindow: boolean;
  /** The session that the browser had; browsers do not send that cookie when they return from another site. */
  readonly previousToken?: string;
};

export type NewAttempt = Pick<SignInAttempt, 'purpose' | 'callbackUrl' | 'isNewWindow' | 'previousToken'>;

export type SignInAttemptsDeps = Pick<CommonDeps, 'secrets' | 'clock' | 'random'>;

/** How long somebody may take at the provider. */
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

  /** The value of the cookie. */
  seal(attempt: SignInAttempt): string {
    return encrypt(this.#key(), Buffer.from(JSON.stringify(attempt)), context, this.#deps.random);
  }

  /** `undefined` if it was not made here, or is older than ten minutes. */
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
