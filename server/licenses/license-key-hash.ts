/**
 * Creates license keys and hashes them: HMAC-SHA-256 under the server's pepper, so that a database copy reveals no key.
 * After rotations of the pepper, the hash is hashed again under each later one: so a stored hash can be brought up to date
 * without the key.
 */
import { createHmac } from 'node:crypto';
import { formatLicenseKey, normalizeLicenseKey, previewLicenseKey } from '../../shared/formats/license-key.ts';
import type { Random } from '../random.ts';
import type { Secrets } from '../secrets.ts';

/** The hash of a normalized key, in hex. */
export function hashLicenseKey(pepper: Uint8Array, licenseKey: string): string {
  return createHmac('sha256', pepper).update(licenseKey).digest('hex');
}

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

/** A hash, and under how many peppers it was made. */
export type VersionedHash = { readonly key_hash: string; readonly pepper_version: number };

type PepperSource = Pick<Secrets, 'peppers' | 'isPepperRotating' | 'refresh'>;

/** Hashes license keys under the peppers that there are at the time. */
export class LicenseKeyHasher {
  readonly #secrets: PepperSource;

  constructor(secrets: PepperSource) {
    this.#secrets = secrets;
  }

  /** The hash to store for a canonical key. */
  hash(licenseKey: string): VersionedHash {
    this.#secrets.refresh();
    const { peppers } = this.#secrets;
    return { key_hash: hashUnder(peppers, licenseKey), pepper_version: peppers.length };
  }

  /** The hash of a key as a user entered it; `undefined` for text that cannot be a key. */
  hashEntered(entered: string): string | undefined {
    const licenseKey = canonicalLicenseKey(entered);
    return licenseKey === undefined ? undefined : hashUnder(this.#secrets.peppers, licenseKey);
  }

  /** What `find` finds under one of the hashes of the key: that is one, except while the pepper is being rotated. */
  async find<T>(entered: string, find: (keyHash: string) => Promise<T | undefined>): Promise<T | undefined> {
    const keyHash = this.hashEntered(entered);
    if (keyHash === undefined) return undefined;
    const found = await find(keyHash);
    if (found !== undefined) return found;
    for (const other of this.otherHashes(entered, keyHash)) {
      const late = await find(other);
      if (late !== undefined) return late;
    }
    return undefined;
  }

  /**
   * What else a key may be stored under if the hash `tried` was not found. There is something only while the pepper is
   * being rotated; the newest comes last, because a hash may be brought up to date between two queries.
   */
  otherHashes(entered: string, tried: string): readonly string[] {
    const isRefreshed = this.#secrets.refresh();
    const licenseKey = canonicalLicenseKey(entered);
    if (licenseKey === undefined || !(isRefreshed || this.#secrets.isPepperRotating)) return [];
    const { peppers } = this.#secrets;
    const hashes = peppers.map((_, index) => hashUnder(peppers.slice(0, index + 1), licenseKey));
    const newest = hashes.at(-1) ?? tried;
    return [...hashes.filter((hash) => hash !== tried && hash !== newest), newest];
  }

  /** Brings a stored hash up to date; `undefined` if it is, or was made under peppers that this process does not know yet. */
  hashAgain({ key_hash, pepper_version }: VersionedHash): VersionedHash | undefined {
    const { peppers } = this.#secrets;
    if (pepper_version >= peppers.length) return undefined;
    return { key_hash: hashUnder(peppers.slice(pepper_version), key_hash), pepper_version: peppers.length };
  }
}

function hashUnder(peppers: readonly Buffer[], licenseKey: string): string {
  return peppers.reduce((text, pepper) => hashLicenseKey(pepper, text), licenseKey);
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
