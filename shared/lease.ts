/**
 * Leases: a signed statement that a license is good on a device until a time, so that the device need not be online.
 * Anyone can verify one with the server's public keys, `GET /.well-known/jwks.json`, and Web Crypto alone.
 */
import { z } from 'zod';
import { features } from './api/features.ts';
import { leaseKeysResponse } from './api/lease.ts';

/** The `typ` of the header, which no other token has (RFC 8725 §3.11). */
export const leaseType = 'lease+jwt';
export const leaseIssuer = 'license-service';
export const leaseAudience = 'license-lease';

const seconds = z.int().nonnegative();

/** Times are in seconds since 1970. */
export const leaseClaims = z.object({
  iss: z.literal(leaseIssuer),
  aud: z.literal(leaseAudience),
  /** The id of the account. */
  sub: z.string().min(1),
  jti: z.string().min(1),
  /** The server's time when it was issued. */
  iat: seconds,
  /** From then on a device that is online should get the next one. */
  renew_after: seconds,
  exp: seconds,
  device_id: z.string(),
  /** The key preview of the license. */
  license: z.string(),
  plan: z.string(),
  features,
});
export type LeaseClaims = z.infer<typeof leaseClaims>;

const leaseHeader = z.object({ alg: z.literal('EdDSA'), typ: z.literal(leaseType), kid: z.string() });

/** A public key as the server publishes it (RFC 8037 §2). */
export const leaseJwk = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
  alg: z.literal('EdDSA'),
  use: z.literal('sig'),
});
export type LeaseJwk = z.infer<typeof leaseJwk>;

/**
 * `unknown_key`: fetch the public keys again, the server may have a new one. `not_yet_valid`: the clock of this device is
 * behind the server's by more than an hour.
 */
export type LeaseProblem =
  | 'malformed'
  | 'unknown_key'
  | 'wrong_signature'
  | 'other_device'
  | 'not_yet_valid'
  | 'expired';

export type LeaseVerification =
  | { readonly valid: true; readonly kid: string; readonly claims: LeaseClaims }
  | { readonly valid: false; readonly problem: LeaseProblem };

/** The two functions of `crypto.subtle` that verify a signature. */
export type SignatureVerifier<Key> = {
  importKey(
    format: 'jwk',
    key: { kty: string; crv: string; x: string },
    algorithm: 'Ed25519',
    extractable: boolean,
    usages: ['verify'],
  ): Promise<Key>;
  verify(
    algorithm: 'Ed25519',
    key: Key,
    signature: Uint8Array<ArrayBuffer>,
    data: Uint8Array<ArrayBuffer>,
  ): Promise<boolean>;
};

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

/** Whether a lease is genuine and good on this device now. Never throws for a lease or keys of any content. */
export async function verifyLease<Key>(lease: string, check: LeaseCheck<Key>): Promise<LeaseVerification> {
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
  const [header = '', payload = '', signature = '', ...more] = lease.split('.');
  const parsedHeader = leaseHeader.safeParse(decodeJson(header));
  const parsedClaims = leaseClaims.safeParse(decodeJson(payload));
  const signatureBytes = decodeBase64Url(signature);
  if (more.length > 0 || !parsedHeader.success || !parsedClaims.success || !signatureBytes) return invalid('malformed');
  const jwk = findKey(source.jwks, parsedHeader.data.kid);
  if (!jwk) return invalid('unknown_key');
  const data = Uint8Array.from(`${header}.${payload}`, (character) => character.charCodeAt(0));
  if (!(await isGenuine(source.subtle, jwk, signatureBytes, data))) return invalid('wrong_signature');
  const { data: claims } = parsedClaims;
  return claims.device_id === source.deviceId ? { valid: true, kid: jwk.kid, claims } : invalid('other_device');
}

function invalid(problem: LeaseProblem): LeaseVerification {
  return { valid: false, problem };
}

/** The keys of leases in a JWKS; empty where it has none. */
export function readLeaseKeys(jwks: unknown): LeaseJwk[] {
  const keys = leaseKeysResponse.safeParse(jwks).data?.keys ?? [];
  return keys.flatMap((key) => leaseJwk.safeParse(key).data ?? []);
}

function findKey(jwks: unknown, kid: string): LeaseJwk | undefined {
  return readLeaseKeys(jwks).find((key) => key.kid === kid);
}

async function isGenuine<Key>(
  subtle: SignatureVerifier<Key>,
  { kty, crv, x }: LeaseJwk,
  ...[signature, data]: [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>]
): Promise<boolean> {
  try {
    const key = await subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify']);
    return await subtle.verify('Ed25519', key, signature, data);
  } catch {
    // A key that is none, or a machine without Ed25519.
    return false;
  }
}

/** `undefined` for what is no JSON. */
function decodeJson(part: string): unknown {
  try {
    const bytes = decodeBase64Url(part) ?? [];
    const escaped = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    return JSON.parse(decodeURIComponent(escaped));
  } catch {
    return undefined;
  }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Without padding (RFC 7515 §2). `undefined` for other text. */
function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * 6) / 8));
  let [bits, bitCount, length] = [0, 0, 0];
  for (const character of text) {
    const value = alphabet.indexOf(character);
    if (value < 0) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes[length++] = (bits >> bitCount) & 0xff;
  }
  return bytes;
}
