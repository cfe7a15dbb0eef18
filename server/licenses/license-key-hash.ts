/**
 * Creates license keys and hashes them: HMAC-SHA-256 under the server's pepper, so that a database copy reveals no key.
 * After rotations of the pepper, the hash is hashed again under each later one: so a stored hash can be brought up to date
 * without the key.
 */
import { formatLicenseKey, normalizeLicenseKey, previewLicenseKey } from '../../shared/formats/license-key.ts';
import { HmacKey } from '../hmac.ts';
import type { Random } from '../random.ts';
import type { Secrets } from '../secrets.ts';

/** The hash of a normalized key, in hex. */
export function hashLicenseKey(pepper: Uint8Array, licenseKey: string): string {
  return new HmacKey(pepper).digest(licenseKey, 'hex');
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
  #cached: { readonly peppers: readonly Buffer[]; readonly keys: readonly HmacKey[] } | undefined;

  constructor(secrets: PepperSource) {
    this.#secrets = secrets;
  }

  /** The hash to store for a canonical key. */
  hash(licenseKey: string): VersionedHash {
    this.#secrets.refresh();
    const keys = this.#keys();
    return { key_hash: hashUnder(keys, licenseKey), pepper_version: keys.length };
  }

  /** The hash of a key as a user entered it; `undefined` for text that cannot be a key. */
  hashEntered(entered: string): string | undefined {
    const licenseKey = canonicalLicenseKey(entered);
    return licenseKey === undefined ? undefined : hashUnder(this.#keys(), licenseKey);
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
    const keys = this.#keys();
    const hashes = keys.map((_, index) => hashUnder(keys.slice(0, index + 1), licenseKey));
    const newest = hashes.at(-1) ?? tried;
    return [...hashes.filter((hash) => hash !== tried && hash !== newest), newest];
  }

  /** Brings a stored hash up to date; `undefined` if it is, or was made under peppers that this process does not know yet. */
  hashAgain({ key_hash, pepper_version }: VersionedHash): VersionedHash | undefined {
    const keys = this.#keys();
    if (pepper_version >= keys.length) return undefined;
    const later = keys.slice(pepper_version);
    return { key_hash: hashUnder(later, key_hash), pepper_version: keys.length };
  }

  #keys(): readonly HmacKey[] {
    const { peppers } = this.#secrets;
    if (this.#cached?.peppers !== peppers) this.#cached = { peppers, keys: peppers.map((key) => new HmacKey(key)) };
    return this.#cached.keys;
  }
}

function hashUnder(peppers: readonly HmacKey[], licenseKey: string): string {
  return peppers.reduce<string>((text, pepper) => pepper.digest(text, 'hex'), licenseKey);
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
