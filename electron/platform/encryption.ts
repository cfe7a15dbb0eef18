/** The two ways of encrypting stored secrets: with the system's keyring, or with a key file next to them. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { safeStorage } from 'electron';
import { isNotFound, quarantine, writeAtomically } from './atomic-write.ts';
import { NotRegularFile, readRegularFile } from './read-regular-file.ts';

export type Encryption = {
  /** Stored with the secret, so that the same encryption decrypts it. */
  readonly kind: 'keyring' | 'file';
  readonly encrypt: (text: string) => Promise<Uint8Array>;
  /** Rejects if the bytes were changed or encrypted with another key. */
  readonly decrypt: (encrypted: Uint8Array) => Promise<string>;
};

/** Encryption by the system's keyring (Electron's safeStorage). */
export class KeyringEncryption implements Encryption {
  readonly kind = 'keyring';

  /** `null` if the system has no keyring. */
  static async open(): Promise<KeyringEncryption | null> {
    return (await hasKeyring()) ? new KeyringEncryption() : null;
  }

  encrypt(text: string): Promise<Uint8Array> {
    return safeStorage.encryptStringAsync(text);
  }

  async decrypt(encrypted: Uint8Array): Promise<string> {
    return (await safeStorage.decryptStringAsync(Buffer.from(encrypted))).result;
  }
}

/** On Linux, `basic_text` uses a fixed, publicly known password, so it does not count as a keyring. */
async function hasKeyring(): Promise<boolean> {
  try {
    if (process.platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text') return false;
    return await safeStorage.isAsyncEncryptionAvailable();
  } catch {
    return false;
  }
}

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Encryption with a random key in the folder's file `key`, which only its owner can read. */
export class KeyFileEncryption implements Encryption {
  readonly kind = 'file';
  readonly #path: string;
  readonly #now: () => number;

  constructor(deps: { readonly folder: string; readonly now: () => number }) {
    this.#path = join(deps.folder, 'key');
    this.#now = deps.now;
  }

  async encrypt(text: string): Promise<Uint8Array> {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, (await this.#readKey()) ?? (await this.#createKey()), nonce);
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), body]);
  }

  async decrypt(encrypted: Uint8Array): Promise<string> {
    const key = await this.#readKey();
    if (key === null) throw new Error('The key file is missing or damaged.');
    const bytes = Buffer.from(encrypted);
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes));
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
  }

  /** Returns `null` if there is no key or it is damaged. */
  async #readKey(): Promise<Buffer | null> {
    try {
      const key = await readRegularFile(this.#path, keyBytes + 1);
      return key.byteLength === keyBytes ? key : null;
    } catch (error) {
      // A folder at this path counts as damage too; a file that is only unreadable right now is left alone.
      if (isNotFound(error) || error instanceof NotRegularFile) return null;
      throw error;
    }
  }

  /** Sets a damaged key aside rather than overwriting it: a backup may restore it. */
  async #createKey(): Promise<Buffer> {
    await quarantine(this.#path, this.#now());
    const key = randomBytes(keyBytes);
    await writeAtomically(this.#path, key);
    return key;
  }
}
