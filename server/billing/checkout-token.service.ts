/**
 * Checkout tokens: with one in the custom data of a checkout, a billing provider's event identifies the account that it
 * is for. The buyer can edit that data but cannot forge a token. It is a JWT (RFC 7519) with its own audience, so it
 * cannot be used as an access token, nor an access token as a checkout token.
 */

import { z } from 'zod';
import type { CheckoutTokenResponse } from '../../shared/api/billing.ts';
import { dayMs, toIso } from '../clock.ts';
import type { CommonDeps } from '../common-deps.ts';
import { readSignedToken, signToken } from '../keys/json-web-token.ts';
import type { SigningKeyService } from '../keys/signing-key.service.ts';

type CheckoutTokenServiceDeps = CommonDeps & {
  readonly signingKeys: SigningKeyService;
};

const issuer = 'license-service';
const audience = 'billing-checkout';
const ttlMs = dayMs;

const claimsSchema = z.object({
  iss: z.literal(issuer),
  aud: z.literal(audience),
  sub: z.string().min(1),
  iat: z.number(),
  exp: z.number(),
});

export class CheckoutTokenService {
  readonly #deps: CheckoutTokenServiceDeps;

  constructor(deps: CheckoutTokenServiceDeps) {
    this.#deps = deps;
  }

  /** Issues a token for a checkout of this account, valid for a day. */
  async issue(userId: string): Promise<CheckoutTokenResponse> {
    const { database, clock, signingKeys } = this.#deps;
    const issuedAtSeconds = Math.floor(clock.now() / 1000);
    const exp = issuedAtSeconds + ttlMs / 1000;
    const claims: z.input<typeof claimsSchema> = { iss: issuer, aud: audience, sub: userId, iat: issuedAtSeconds, exp };
    const key = await signingKeys.current();
    await database.write((transaction) => signingKeys.cover(transaction, key, ttlMs));
    return { token: signToken(claims, key), expires_at: toIso(exp * 1000) };
  }

  /** Returns the account that the token was issued for; `undefined` if it is not ours or was not valid at that time. */
  async read(token: string, atMs: number): Promise<string | undefined> {
    const { signingKeys } = this.#deps;
    const parsed = claimsSchema.safeParse(await readSignedToken(token, (kid) => signingKeys.find(kid)));
    if (!parsed.success) return undefined;
    const { sub, exp } = parsed.data;
    return atMs < exp * 1000 ? sub : undefined;
  }
}
