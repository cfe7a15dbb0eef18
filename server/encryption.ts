/** Encryption with AES-256-GCM for secrets stored in the database. */
import { createCipheriv, createDecipheriv, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Random } from './random.ts';

const nonceBytes = 12;
const tagBytes = 16;

/** Derives a 32-byte key for one purpose from a secret (HKDF-SHA-256, RFC 5869). */
export function deriveKey(secret: Uint8Array | string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
}

/** Returns nonce, tag and ciphertext as base64url. `context` is authenticated too: `decrypt` needs the same one. */
export function encrypt(key: Buffer, plaintext: Uint8Array, context: string, random: Random): string {
  const nonce = random(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url');
}

/** Returns the plaintext. Throws if the key or the context differs or the text was changed. */
export function decrypt(key: Buffer, encrypted: string, context: string): Buffer<ArrayBuffer> {
  const bytes = Buffer.from(encrypted, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
}

/** Compares signatures or tags in constant time. */
export function isSameTag(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
