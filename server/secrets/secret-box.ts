/** Encrypts what a feature stores in the database under the master key, even while that is being rotated. */
import { DatabaseUnavailable } from '../database/database-errors.ts';
import { decrypt, deriveKey, encrypt } from '../encryption.ts';
import type { Random } from '../random.ts';
import type { Secrets } from './secrets.ts';

type KeySource = Pick<Secrets, 'masterKeys' | 'refresh'>;

/**
 * Encrypts values for one purpose. Their columns must be listed in `secret-rotation/encrypted-column.repository.ts`, so
 * that a rotation encrypts them again.
 */
export class SecretBox {
  readonly #secrets: KeySource;
  readonly #purpose: string;

  constructor(secrets: KeySource, purpose: string) {
    this.#secrets = secrets;
    this.#purpose = purpose;
  }

  /** Encrypts; see `encryption.ts` for the format and the meaning of `context`. */
  encrypt(plaintext: Uint8Array, context: string, random: Random): string {
    // Another process may have rotated the keys, and its notification may not have arrived yet.
    this.#secrets.refresh();
    const [newest = Buffer.alloc(0)] = this.#secrets.masterKeys;
    return encrypt(deriveKey(newest, this.#purpose), plaintext, context, random);
  }

  /**
   * Returns the plaintext. Throws `DatabaseUnavailable` if no master key fits, the context differs or the text was
   * changed.
   */
  decrypt(encrypted: string, context: string): Buffer<ArrayBuffer> {
    const known = this.#open(encrypted, context) ?? (this.#secrets.refresh() && this.#open(encrypted, context));
    if (!known) throw this.#noKeyFits();
    return known.plaintext;
  }

  /** Encrypts the same plaintext under the newest master key; `undefined` if it already is. */
  encryptAgain(encrypted: string, context: string, random: Random): string | undefined {
    const found = this.#open(encrypted, context);
    if (!found) throw this.#noKeyFits();
    return found.isNewest ? undefined : this.encrypt(found.plaintext, context, random);
  }

  #open(encrypted: string, context: string): { plaintext: Buffer<ArrayBuffer>; isNewest: boolean } | undefined {
    for (const [index, masterKey] of this.#secrets.masterKeys.entries()) {
      try {
        return { plaintext: decrypt(deriveKey(masterKey, this.#purpose), encrypted, context), isNewest: index === 0 };
      } catch {
        // It was encrypted under a different key.
      }
    }
    return undefined;
  }

  /** Happens if the secrets were rotated on another machine and this one still has the earlier file. */
  #noKeyFits(): DatabaseUnavailable {
    const reason = `"${this.#purpose}" cannot be decrypted: the secrets file is not the present one of the database`;
    return new DatabaseUnavailable(new Error(reason));
  }
}
