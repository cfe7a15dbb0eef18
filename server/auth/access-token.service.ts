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

type IssuedAccessToken = { readonly token: string; readonly expiresAtMs: number };

type Claims = z.output<typeof claimsSchema>;

type VerifiedToken = Pick<Claims, 'iat' | 'exp'> & { readonly grant: AccessGrant };

type AccessTokenServiceDeps = CommonDeps & { readonly signingKeys: SigningKeyService };

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
    const claims: Claims = {
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

  /**
   * Returns what the token was issued for. Use `SnapshotCache.isActive` to check that the session is still active.
   * Throws `ApiError` TOKEN_EXPIRED or INVALID_TOKEN.
   */
  async verify(token: string): Promise<AccessGrant> {
    const { cacheInvalidation } = this.#deps.database;
    const cached = cacheInvalidation.catchUp() ? this.#verified.get(token) : undefined;
    const verified =
      cached ??
      (await cacheInvalidation.load(
        () => this.#verifySignature(token),
        (loaded) => this.#verified.set(token, loaded),
      ));
    this.#requireInForce(verified);
    return verified.grant;
  }

  /** Verifies the signature and the shape of the claims. */
  async #verifySignature(token: string): Promise<VerifiedToken> {
    const { signingKeys } = this.#deps;
    const parsed = claimsSchema.safeParse(await readSignedToken(token, (kid) => signingKeys.find(kid)));
    if (!parsed.success) throw new ApiError('INVALID_TOKEN');
    const { sub: userId, sid: sessionId, password_changed_at_ms: passwordChangedAtMs, iat, exp } = parsed.data;
    return { grant: { userId, sessionId, passwordChangedAtMs }, iat, exp };
  }

  /** The error tells the client only whether a refresh helps. */
  #requireInForce({ iat, exp }: VerifiedToken): void {
    const { clock, config } = this.#deps;
    const leftMs = exp * 1000 - clock.now();
    if (leftMs <= 0) throw new ApiError('TOKEN_EXPIRED');
    // Rounded up, because JWTs count whole seconds.
    const longestSeconds = Math.ceil(config.accessTokenTtlMs / 1000);
    // A token with a longer lifetime was issued while the setting was longer, or by somebody else who has the key. If
    // more time is left than a token lasts, the clock was set back.
    if (exp - iat > longestSeconds || leftMs > longestSeconds * 1000 + clockToleranceMs) {
      throw new ApiError('INVALID_TOKEN');
    }
  }
}
