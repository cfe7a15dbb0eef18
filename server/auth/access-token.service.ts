/** Issues and verifies access tokens: JWTs with one fixed algorithm (RFC 8725 §3.1). */
import { errors, type JWTHeaderParameters, jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../clock.ts';
import { ApiError } from '../errors.ts';
import { newUuid, type Random } from '../random.ts';
import type { AccessGrant } from './refresh-token.repository.ts';
import type { SigningKey, SigningKeyService } from './signing-key.service.ts';

const algorithm = 'HS256';
const issuer = 'license-service';
const audience = 'license-api';
/** `iat` counts seconds, which cannot say whether a token is from before or after a change of the password. */
const passwordClaim = 'password_changed_at_ms';

/** Verified tokens are cached so that the signature of a busy client's token is checked only once. */
const maxCachedTokens = 10_000;

export type IssuedAccessToken = { readonly token: string; readonly expiresAtMs: number };

type VerifiedToken = { readonly grant: AccessGrant; readonly expiresAtMs: number };

export type AccessTokenServiceDeps = {
  readonly signingKeys: SigningKeyService;
  readonly clock: Clock;
  readonly random: Random;
  readonly ttlMs: number;
};

export class AccessTokenService {
  readonly #deps: AccessTokenServiceDeps;
  readonly #verified = new Map<string, VerifiedToken>();

  constructor(deps: AccessTokenServiceDeps) {
    this.#deps = deps;
  }

  /** A new token. JWTs count whole seconds, so `expiresAtMs` is a whole second. */
  async issue({ userId, sessionId, passwordChangedAtMs }: AccessGrant): Promise<IssuedAccessToken> {
    const { signingKeys, clock, random, ttlMs } = this.#deps;
    const { kid, key } = await signingKeys.current();
    const nowMs = clock.now();
    const expiresAtSeconds = Math.floor((nowMs + ttlMs) / 1000);
    const token = await new SignJWT({ sid: sessionId, [passwordClaim]: passwordChangedAtMs })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(userId)
      .setIssuedAt(Math.floor(nowMs / 1000))
      .setExpirationTime(expiresAtSeconds)
      .setJti(newUuid(nowMs, random))
      .sign(key);
    return { token, expiresAtMs: expiresAtSeconds * 1000 };
  }

  /**
   * What the token was issued for; whether that still holds is `AuthService.isActive`.
   * Throws `ApiError` TOKEN_EXPIRED or INVALID_TOKEN.
   */
  async verify(token: string): Promise<AccessGrant> {
    const { clock } = this.#deps;
    const cached = this.#verified.get(token);
    if (cached && clock.now() < cached.expiresAtMs) return cached.grant;
    const verified = await this.#verifySignature(token);
    if (this.#verified.size >= maxCachedTokens) this.#verified.clear();
    this.#verified.set(token, verified);
    return verified.grant;
  }

  async #verifySignature(token: string): Promise<VerifiedToken> {
    try {
      const { payload } = await jwtVerify(token, async (header) => (await this.#findKey(header)).key, {
        algorithms: [algorithm],
        issuer,
        audience,
        requiredClaims: ['sub', 'sid', 'exp', 'iat', 'jti'],
        currentDate: new Date(this.#deps.clock.now()),
      });
      const { sub: userId, sid: sessionId, [passwordClaim]: passwordChangedAtMs, exp } = payload;
      const isComplete = userId && typeof sessionId === 'string' && typeof passwordChangedAtMs === 'number' && exp;
      if (!isComplete) throw new ApiError('INVALID_TOKEN');
      return { grant: { userId, sessionId, passwordChangedAtMs }, expiresAtMs: exp * 1000 };
    } catch (error) {
      throw toApiError(error);
    }
  }

  async #findKey({ kid }: JWTHeaderParameters): Promise<SigningKey> {
    const key = typeof kid === 'string' ? await this.#deps.signingKeys.find(kid) : undefined;
    if (!key) throw new errors.JWSSignatureVerificationFailed();
    return key;
  }
}

/** Tells the client only what it can act on: whether a refresh helps. */
function toApiError(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return new ApiError('TOKEN_EXPIRED');
  return error instanceof errors.JOSEError ? new ApiError('INVALID_TOKEN') : error;
}
