/**
 * Leases: signed statements that a license is valid on a device until a given time, so that the device can be offline.
 * Anyone can verify one with the server's public keys, `GET /.well-known/jwks.json`, and Web Crypto.
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

/** `typ` of the header, which no other token has (RFC 8725 §3.11). */
export const leaseType = 'lease+jwt';
export const leaseIssuer = 'license-service';
export const leaseAudience = 'license-lease';

export const leaseClaims = z.object({
  iss: z.literal(leaseIssuer),
  aud: z.literal(leaseAudience),
  /** Account id. */
  sub: z.string().min(1),
  jti: z.string().min(1),
  /** Time of issue by the server's clock. */
  iat: epochSeconds,
  /** Time from which an online device should get the next lease. */
  renew_after: epochSeconds,
  exp: epochSeconds,
  device_id: z.string(),
  /** Key preview of the license. */
  license: z.string(),
  plan: z.string(),
  features,
  /** App versions released later are still offered, with a warning that features stop. */
  updates_until: epochSeconds.optional(),
});
export type LeaseClaims = z.infer<typeof leaseClaims>;

/** A public key as the server publishes it. */
export const leaseJwk = publicJwk;
export type LeaseJwk = PublicJwk;

/**
 * `unknown_key`: fetch the public keys again, since the server may have a new one. `not_yet_valid`: this device's clock
 * is more than an hour behind the server's.
 */
export type LeaseProblem = 'malformed' | SignatureProblem | 'other_device' | 'not_yet_valid' | 'expired';

export type LeaseVerification =
  | { readonly valid: true; readonly kid: string; readonly claims: LeaseClaims }
  | { readonly valid: false; readonly problem: LeaseProblem };

type LeaseSource<Key> = {
  /** The parsed JSON of `/.well-known/jwks.json`. */
  readonly jwks: unknown;
  /** Id of the verifying device. */
  readonly deviceId: string;
  /** `crypto.subtle` */
  readonly subtle: SignatureVerifier<Key>;
};

type LeaseCheck<Key> = LeaseSource<Key> & {
  /** `Date.now()` */
  readonly nowMs: number;
};

/** How far the device's clock may be behind the server's. */
const toleranceSeconds = 60 * 60;

/**
 * Checks whether a lease is genuine and valid on this device now. Never throws, whatever the lease or keys contain, but
 * throws `TypeError` if `nowMs` is not finite, because no lease would expire then.
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
 * Checks whether a lease is genuine and for this device, regardless of time: for clients that know the server's time
 * better than their own clock does. Never throws, whatever the lease or keys contain.
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
