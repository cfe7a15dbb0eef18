/** Signs a lease: a compact JWS (RFC 7515 §7.1) with EdDSA (RFC 8037). */
import { sign } from 'node:crypto';
import { type LeaseClaims, leaseType } from '../../shared/lease.ts';
import type { SigningKey } from '../keys/signing-key.ts';

export function signLease(claims: LeaseClaims, { kid, key }: Pick<SigningKey, 'kid' | 'key'>): string {
  const signed = `${encode({ alg: 'EdDSA', typ: leaseType, kid })}.${encode(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
