/** The keys of each purpose, made from 32 secret bytes: HS256 for access tokens, Ed25519 (RFC 8037) for leases. */
import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import type { SigningPurpose } from './signing-key.repository.ts';

/** A key and the id by which signed data refers to it. */
export type SigningKey = {
  readonly kid: string;
  readonly key: KeyObject;
  /** The longest validity of anything that the key has signed. */
  readonly longestLifeMs: number;
};

export const algorithms = { access_token: 'HS256', lease: 'EdDSA' } as const satisfies Record<SigningPurpose, string>;

/** The DER encoding of an Ed25519 private key up to the 32 key bytes (RFC 8410 §7). */
const ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

export function createKey(purpose: SigningPurpose, secret: Buffer): KeyObject {
  if (purpose === 'access_token') return createSecretKey(secret);
  return createPrivateKey({ key: Buffer.concat([ed25519Prefix, secret]), format: 'der', type: 'pkcs8' });
}

/** Returns the public half of an Ed25519 key in base64url: the member `x` of its JWK (RFC 8037 §2). */
export function publicPart(key: KeyObject): string {
  return String(createPublicKey(key).export({ format: 'jwk' }).x);
}
