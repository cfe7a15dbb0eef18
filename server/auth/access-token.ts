/** Access tokens: JWTs signed with one fixed algorithm (RFC 8725 §3.1), checked against the clock passed in. */
import { errors, jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../clock.ts';
import { ApiError } from '../errors.ts';
import { newUuid, type Random } from '../random.ts';
import type { AccessTokenKeys } from './signing-key.service.ts';

const algorithm = 'HS256';
const issuer = 'license-service';
const audience = 'license-api';

export type IssuedAccessToken = { readonly token: string; readonly expiresAtMs: number };

export type AccessTokens = {
  /** A token for the account; it expires on a whole second, as JWTs count. */
  issue(accountId: string): Promise<IssuedAccessToken>;
  /** The account that the token is for. Throws `ApiError` TOKEN_EXPIRED or INVALID_TOKEN. */
  verify(token: string): Promise<string>;
};

type Parts = { keys: AccessTokenKeys; clock: Clock; random: Random; ttlMs: number };

/** How many verified tokens are remembered, so that a busy client's is not verified anew each time. */
const rememberedTokens = 10_000;

export function createAccessTokens({ keys, clock, random, ttlMs }: Parts): AccessTokens {
  const verified = new Map<string, { readonly accountId: string; readonly expiresAtMs: number }>();
  return {
    async issue(accountId) {
      const issuedAt = Math.floor(clock.now() / 1000);
      const expiresAt = Math.floor((clock.now() + ttlMs) / 1000);
      const token = await new SignJWT()
        .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid: keys.current.kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(accountId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .setJti(newUuid(clock.now(), random))
        .sign(keys.current.key);
      return { token, expiresAtMs: expiresAt * 1000 };
    },
    async verify(token) {
      const known = verified.get(token);
      if (known && clock.now() < known.expiresAtMs) return known.accountId;
      try {
        const { payload } = await jwtVerify(
          token,
          async ({ kid }) => {
            const key = typeof kid === 'string' ? await keys.find(kid) : undefined;
            if (!key) throw new errors.JWSSignatureVerificationFailed();
            return key.key;
          },
          {
            algorithms: [algorithm],
            issuer,
            audience,
            requiredClaims: ['sub', 'exp', 'iat', 'jti'],
            currentDate: new Date(clock.now()),
          },
        );
        if (!payload.sub || payload.exp === undefined) throw new ApiError('INVALID_TOKEN');
        if (verified.size >= rememberedTokens) verified.clear();
        verified.set(token, { accountId: payload.sub, expiresAtMs: payload.exp * 1000 });
        return payload.sub;
      } catch (error) {
        throw asApiError(error);
      }
    },
  };
}

/** What is wrong with the token is told only as far as a client can act on it. */
function asApiError(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return new ApiError('TOKEN_EXPIRED');
  return error instanceof errors.JOSEError ? new ApiError('INVALID_TOKEN') : error;
}
