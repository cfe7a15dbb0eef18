/** Issues and verifies access tokens: JWTs (RFC 7519) with one fixed algorithm (RFC 8725 §3.1). */
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { upTo } from '../cache-size.ts';
import type { CommonDeps } from '../common-deps.ts';
import { ApiError } from '../errors.ts';
import { readSignedToken, signToken } from '../keys/json-web-token.ts';
import type { SigningKeyService } from '../keys/signing-key.service.ts';
import { newUuid } from '../random.ts';
import type { AccessGrant } from './refresh-token.repository.ts';

const issuer = 'license-service';
const audience = 'license-api';

/** Verified tokens are cached so that the signature of a busy client's token is checked only once. */
const maxCachedTokens = 20_000;

/** How far the clock may have been set back since a token was issued, in ms. */
const clockToleranceMs = 60_000;

/** `iat` counts whole seconds, too coarse to tell whether a token was issued before or after a password change. */
const claimsSchema = z.object({
  sid: z.string(),
  password_changed_at_ms: z.number(),
  iss: z.literal(issuer),
  aud: z.literal(audience),
  sub: z.string().min(1),
  iat: z.number(),
  exp: z.number(),
  jti: z.string(),
});

export type IssuedAccessToken = { readonly token: string; readonly expiresAtMs: number };

type VerifiedToken = { readonly grant: AccessGrant; readonly expiresAtMs: number };

export type AccessTokenServiceDeps = CommonDeps & { readonly signingKeys: SigningKeyService };

export class AccessTokenService {
  readonly #deps: AccessTokenServiceDeps;
  readonly #verified = new LRUCache<string, VerifiedToken>(upTo(maxCachedTokens));

  constructor(deps: AccessTokenServiceDeps) {
    this.#deps = deps;
    // Cleared when keys change too: an ended key must not verify anything, not even a token that it verified before.
    deps.database.cacheInvalidation.onChange((change) => {
      if (change === 'everything') this.#verified.clear();
    });
  }

  /** Issues a new token. JWTs count whole seconds, so `expiresAtMs` is a whole second. */
  async issue({ userId, sessionId, passwordChangedAtMs }: AccessGrant): Promise<IssuedAccessToken> {
    const { config, signingKeys, clock, random } = this.#deps;
    const nowMs = clock.now();
    const expiresAtSeconds = Math.floor((nowMs + config.accessTokenTtlMs) / 1000);
    const claims: z.input<typeof claimsSchema> = {
      sid: sessionId,
      password_changed_at_ms: passwordChangedAtMs,
      iss: issuer,
      aud: audience,
      sub: userId,
      iat: Math.floor(nowMs / 1000),
      exp: expiresAtSeconds,
      jti: newUuid(nowMs, random),
    };
    const token = signToken(claims, await signingKeys.current());
    return { token, expiresAtMs: expiresAtSeconds * 1000 };
  }

  /** Returns the session of a cached token that has not expired, otherwise `undefined`. */
  #findVerified(token: string): AccessGrant | undefined {
    const verified = this.#deps.database.cacheInvalidation.catchUp() ? this.#verified.get(token) : undefined;
    if (!verified) return undefined;
    const leftMs = verified.expiresAtMs - this.#deps.clock.now();
    // If more time is left than a token lasts, the clock was set back, and the token would be valid for that time
    // again.
    return leftMs > 0 && leftMs <= this.#longestMs + clockToleranceMs ? verified.grant : undefined;
  }

  /** Longest lifetime of a token, rounded up because JWTs count whole seconds. */
  get #longestMs(): number {
    return Math.ceil(this.#deps.config.accessTokenTtlMs / 1000) * 1000;
  }

  /**
   * Returns what the token was issued for. Use `AccountSnapshots.isActive` to check that the session is still active.
   * Throws `ApiError` TOKEN_EXPIRED or INVALID_TOKEN.
   */
  async verify(token: string): Promise<AccessGrant> {
    const known = this.#findVerified(token);
    if (known) return known;
    const { grant } = await this.#deps.database.cacheInvalidation.load(
      () => this.#verifySignature(token),
      (verified) => this.#verified.set(token, verified),
    );
    return grant;
  }

  /** Verifies the signature, claims and expiry. The error tells the client only whether a refresh helps. */
  async #verifySignature(token: string): Promise<VerifiedToken> {
    const { signingKeys, clock } = this.#deps;
    const parsed = claimsSchema.safeParse(await readSignedToken(token, (kid) => signingKeys.find(kid)));
    if (!parsed.success) throw new ApiError('INVALID_TOKEN');
    const { sub: userId, sid: sessionId, password_changed_at_ms: passwordChangedAtMs, iat, exp } = parsed.data;
    const [nowMs, expiresAtMs] = [clock.now(), exp * 1000];
    if (nowMs >= expiresAtMs) throw new ApiError('TOKEN_EXPIRED');
    // A token with a longer lifetime was issued while the setting was longer, or by somebody else who has the key.
    const longestMs = this.#longestMs;
    if (expiresAtMs - iat * 1000 > longestMs || expiresAtMs - nowMs > longestMs + clockToleranceMs) {
      throw new ApiError('INVALID_TOKEN');
    }
    return { grant: { userId, sessionId, passwordChangedAtMs }, expiresAtMs };
  }
}
