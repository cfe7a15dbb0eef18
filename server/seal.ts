/** Sealing with AES-256-GCM: what comes out can be kept in the database, and only the key opens it again. */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import type { Random } from './random.ts';

const nonceBytes = 12;
const tagBytes = 16;

/** A 32-byte key for one purpose, derived from a secret (HKDF-SHA-256, RFC 5869). */
export function deriveKey(secret: Uint8Array | string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
}

/** Nonce, tag and ciphertext as base64url. `context` is bound to it: opening wants the same. */
export function seal(key: Buffer, plain: Uint8Array, context: string, random: Random): string {
  const nonce = random(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** What was sealed. Throws when key or context are other ones or the text was changed. */
export function open(key: Buffer, sealed: string, context: string): Buffer<ArrayBuffer> {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
}
