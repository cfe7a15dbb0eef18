/** API keys: `svc_live_`, 24 random base64url characters and 2 checksum characters, 35 in all. */
import { crc32 } from './crc32.ts';

export const apiKeyPrefix = 'svc_live_';
const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Returns a new key made from 24 random base64url characters. */
export function formatApiKey(random: string): string {
  if (!/^[\w-]{24}$/.test(random)) throw new RangeError('an API key is made of 24 base64url characters');
  return apiKeyPrefix + random + checksum(apiKeyPrefix + random);
}

/** Returns whether a string has the form of an API key and the right checksum. */
export function isWellFormedApiKey(key: string): boolean {
  return /^svc_live_[\w-]{26}$/.test(key) && checksum(key.slice(0, 33)) === key.slice(33);
}

/** Returns the displayable part of a key: `svc_live_` and 4 characters. */
export function previewApiKey(key: string): string {
  return key.slice(0, apiKeyPrefix.length + 4);
}

/** Returns the top 12 bits of the CRC-32 of the first 33 characters, as two base64url characters. */
function checksum(first33: string): string {
  const top12 = crc32(first33) >>> 20;
  return base64url.charAt(top12 >>> 6) + base64url.charAt(top12 & 63);
}
