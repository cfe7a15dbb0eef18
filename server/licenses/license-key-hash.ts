/** Creates license keys and hashes them: HMAC-SHA-256 under the server's pepper, so that a database copy reveals no key. */
import { createHmac, type KeyObject } from 'node:crypto';
import { formatLicenseKey, hasValidCheckCharacter, normalizeLicenseKey } from '../../shared/formats/license-key.ts';
import type { Random } from '../random.ts';

/** The pepper. As a `KeyObject` it makes a hash in a fifth of the time. */
type Pepper = KeyObject | Uint8Array;

/** The hash of a normalized key, in hex. */
export function hashLicenseKey(pepper: Pepper, licenseKey: string): string {
  return createHmac('sha256', pepper).update(licenseKey).digest('hex');
}

/** The hash of a key as a user entered it; `undefined` for text that cannot be a key of this server. */
export function hashEnteredLicenseKey(pepper: Pepper, entered: string): string | undefined {
  const licenseKey = normalizeLicenseKey(entered);
  if (licenseKey === null || !hasValidCheckCharacter(licenseKey)) return undefined;
  return hashLicenseKey(pepper, licenseKey);
}

/** A new key with 75 random bits. */
export function newLicenseKey(random: Random): string {
  return formatLicenseKey([...random(15)].map((byte) => byte & 31));
}
