/** Signs a lease as a compact JWS (RFC 7515 §7.1) with EdDSA (RFC 8037). */
import { sign } from 'node:crypto';
import { type LeaseClaims, leaseType } from '../../shared/lease.ts';
import { encodePart } from '../keys/json-web-token.ts';
import type { SigningKey } from '../keys/signing-key.ts';

export function signLease(claims: LeaseClaims, { kid, key }: Pick<SigningKey, 'kid' | 'key'>): string {
  const signed = `${encodePart({ alg: 'EdDSA', typ: leaseType, kid })}.${encodePart(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
}
