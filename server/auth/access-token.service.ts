/** Issues and verifies access tokens: JWTs with one fixed algorithm (RFC 8725 §3.1). */
import { errors, type JWTHeaderParameters, jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../clock.ts';
import { ApiError } from '../errors.ts';
import { newUuid, type Random } from '../random.ts';
import type { SigningKey, SigningKeyService } from './signing-key.service.ts';

const algorithm = 'HS256';
const issuer = 'license-service';
const audience = 'license-api';

/** Verified tokens are cached so that the signature of a busy client's token is checked only once. */
const maxCachedTokens = 10_000;

export type IssuedAccessToken = { readonly token: string; readonly expiresAtMs: number };

export type AccessTokenServiceDeps = {
  readonly signingKeys: SigningKeyService;
  readonly clock: Clock;
  readonly random: Random;
  readonly ttlMs: number;
};

export class AccessTokenService {
  readonly #deps: AccessTokenServiceDeps;
  readonly #verified = new Map<string, { readonly userId: string; readonly expiresAtMs: number }>();

  constructor(deps: AccessTokenServiceDeps) {
    this.#deps = deps;
  }

  /** A new token for the user. JWTs count whole seconds, so `expiresAtMs` is a whole second. */
  async issue(userId: string): Promise<IssuedAccessToken> {
    const { signingKeys, clock, random, ttlMs } = this.#deps;
    const { kid, key } = await signingKeys.current();
    const nowMs = clock.now();
    const expiresAtSeconds = Math.floor((nowMs + ttlMs) / 1000);
    const token = await new SignJWT()
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

  /** The id of the user that the token was issued to. Throws `ApiError` TOKEN_EXPIRED or INVALID_TOKEN. */
  async verify(token: string): Promise<string> {
    const { clock } = this.#deps;
    const cached = this.#verified.get(token);
    if (cached && clock.now() < cached.expiresAtMs) return cached.userId;
    const verified = await this.#verifySignature(token);
    if (this.#verified.size >= maxCachedTokens) this.#verified.clear();
    this.#verified.set(token, verified);
    return verified.userId;
  }

  async #verifySignature(token: string): Promise<{ userId: string; expiresAtMs: number }> {
    try {
      const { payload } = await jwtVerify(token, async (header) => (await this.#findKey(header)).key, {
        algorithms: [algorithm],
        issuer,
        audience,
        requiredClaims: ['sub', 'exp', 'iat', 'jti'],
        currentDate: new Date(this.#deps.clock.now()),
      });
      if (!payload.sub || payload.exp === undefined) throw new ApiError('INVALID_TOKEN');
      return { userId: payload.sub, expiresAtMs: payload.exp * 1000 };
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
