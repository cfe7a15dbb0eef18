/**
 * Creates license keys and hashes them: HMAC-SHA-256 under the server's pepper, so that a database copy reveals no key.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { formatLicenseKey, normalizeLicenseKey, previewLicenseKey } from '../../shared/formats/license-key.ts';
import type { Random } from '../random.ts';
import type { Secrets } from '../secrets.ts';

/** Longer than the signed keys of other systems. */
const maxKeyLength = 4000;

/**
 * The form in which a key is hashed: of our own keys the canonical one, of any other the text as it is, without spaces
 * around it. Only imported licenses have such keys. `undefined` for text that can be neither.
 */
export function canonicalLicenseKey(entered: string): string | undefined {
  const key = normalizeLicenseKey(entered) ?? entered.trim();
  const isKey = key !== '' && key.length <= maxKeyLength && key.isWellFormed() && !/\p{Cc}/u.test(key);
  return isKey ? key : undefined;
}

/** Hashes license keys under the server's pepper. */
export class LicenseKeyHasher {
  // Made once: with bytes for its key, each HMAC would take 9 µs in place of 1.4.
  readonly #pepper: KeyObject;

  constructor({ pepper }: Pick<Secrets, 'pepper'>) {
    this.#pepper = createSecretKey(pepper);
  }

  /** The hash of a canonical key, in hex. */
  hash(licenseKey: string): string {
    return createHmac('sha256', this.#pepper).update(licenseKey).digest('hex');
  }

  /** The hash of a key as a user entered it; `undefined` for text that cannot be a key. */
  hashEntered(entered: string): string | undefined {
    const licenseKey = canonicalLicenseKey(entered);
    return licenseKey === undefined ? undefined : this.hash(licenseKey);
  }
}

/** The preview of an imported key, which may have another form than ours: at most a third of it. */
export function previewImportedKey(licenseKey: string): string {
  const normalized = normalizeLicenseKey(licenseKey);
  if (normalized !== null) return previewLicenseKey(normalized);
  const shown = Math.min(4, Math.floor(licenseKey.length / 6));
  return `${licenseKey.slice(0, shown)}...${shown === 0 ? '' : licenseKey.slice(-shown)}`;
}

/** A new key with 75 random bits. */
export function newLicenseKey(random: Random): string {
  return formatLicenseKey([...random(15)].map((byte) => byte & 31));
}
