/**
 * Leases: a signed statement that a license is good on a device until a time, so that the device need not be online.
 * Anyone can verify one with the server's public keys, `GET /.well-known/jwks.json`, and Web Crypto alone.
 */
import { z } from 'zod';
import { features } from './api/features.ts';
import { epochSeconds } from './api/fields.ts';
import {
  findSignatureProblem,
  type PublicJwk,
  parseJws,
  publicJwk,
  type SignatureProblem,
  type SignatureVerifier,
} from './jws.ts';

/** The `typ` of the header, which no other token has (RFC 8725 §3.11). */
export const leaseType = 'lease+jwt';
export const leaseIssuer = 'license-service';
export const leaseAudience = 'license-lease';

export const leaseClaims = z.object({
  iss: z.literal(leaseIssuer),
  aud: z.literal(leaseAudience),
  /** The id of the account. */
  sub: z.string().min(1),
  jti: z.string().min(1),
  /** The server's time when it was issued. */
  iat: epochSeconds,
  /** From then on a device that is online should get the next one. */
  renew_after: epochSeconds,
  exp: epochSeconds,
  device_id: z.string(),
  /** The key preview of the license. */
  license: z.string(),
  plan: z.string(),
  features,
  /** Versions of the app that were released later are offered too, with a warning that features stop. */
  updates_until: epochSeconds.optional(),
});
export type LeaseClaims = z.infer<typeof leaseClaims>;

/** A public key as the server publishes it. */
export const leaseJwk = publicJwk;
export type LeaseJwk = PublicJwk;

/**
 * `unknown_key`: fetch the public keys again, the server may have a new one. `not_yet_valid`: the clock of this device is
 * behind the server's by more than an hour.
 */
export type LeaseProblem = 'malformed' | SignatureProblem | 'other_device' | 'not_yet_valid' | 'expired';

export type LeaseVerification =
  | { readonly valid: true; readonly kid: string; readonly claims: LeaseClaims }
  | { readonly valid: false; readonly problem: LeaseProblem };

export type LeaseSource<Key> = {
  /** The parsed JSON of `/.well-known/jwks.json`. */
  readonly jwks: unknown;
  /** The id of the device that asks. */
  readonly deviceId: string;
  /** `crypto.subtle` */
  readonly subtle: SignatureVerifier<Key>;
};

export type LeaseCheck<Key> = LeaseSource<Key> & {
  /** `Date.now()` */
  readonly nowMs: number;
};

/** How far the device's clock may be behind the server's. */
const toleranceSeconds = 60 * 60;

/**
 * Whether a lease is genuine and good on this device now. Never throws for a lease or keys of any content; throws `TypeError` where
 * `nowMs` is no time, at which no lease would end.
 */
export async function verifyLease<Key>(lease: string, check: LeaseCheck<Key>): Promise<LeaseVerification> {
  if (!Number.isFinite(check.nowMs)) throw new TypeError('nowMs must be the number of milliseconds since 1970.');
  const read = await readLease(lease, check);
  if (!read.valid) return read;
  const nowSeconds = check.nowMs / 1000;
  if (nowSeconds < read.claims.iat - toleranceSeconds) return invalid('not_yet_valid');
  return nowSeconds >= read.claims.exp ? invalid('expired') : read;
}

/**
 * Whether a lease is genuine and for this device, at whatever time: for a client that knows the server's time better than
 * its own clock does. Never throws for a lease or keys of any content.
 */
export async function readLease<Key>(lease: string, source: LeaseSource<Key>): Promise<LeaseVerification> {
  const { jwks, deviceId, subtle } = source;
  const parsed = parseJws(lease, leaseType, leaseClaims);
  if (!parsed) return invalid('malformed');
  const problem = await findSignatureProblem(parsed, jwks, subtle);
  if (problem) return invalid(problem);
  const { kid, claims } = parsed;
  return claims.device_id === deviceId ? { valid: true, kid, claims } : invalid('other_device');
}

function invalid(problem: LeaseProblem): LeaseVerification {
  return { valid: false, problem };
}
