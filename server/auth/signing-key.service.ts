/** The keys that sign access tokens. They are stored encrypted under the master key. */
import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import { decrypt, deriveKey, encrypt } from '../encryption.ts';
import { isUuid, newUuid, type Random } from '../random.ts';
import type { Secrets } from '../secrets.ts';
import { findCurrentKey, findKey, insertKey, type SigningKeyRow } from './signing-key.repository.ts';

/** An HS256 key and the id by which a token names it. */
export type SigningKey = { readonly kid: string; readonly key: KeyObject };

export type SigningKeyServiceDeps = {
  readonly database: Database;
  readonly secrets: Pick<Secrets, 'masterKey'>;
  readonly clock: Clock;
  readonly random: Random;
};

const keyBytes = 32;

export class SigningKeyService {
  readonly #deps: SigningKeyServiceDeps;
  readonly #encryptionKey: Buffer;
  #current: Promise<SigningKey> | undefined;

  constructor(deps: SigningKeyServiceDeps) {
    this.#deps = deps;
    this.#encryptionKey = deriveKey(deps.secrets.masterKey, 'signing keys');
  }

  /** The key for new tokens. The first call reads it from the database, or creates it there. */
  current(): Promise<SigningKey> {
    this.#current ??= this.#loadOrCreate().catch((error: unknown) => {
      this.#current = undefined;
      throw error;
    });
    return this.#current;
  }

  /** The key with this id, also one that another process has added; `undefined` when unknown or retired. */
  async find(kid: string): Promise<SigningKey | undefined> {
    const current = await this.current();
    if (kid === current.kid) return current;
    // The id comes from an unverified token and may hold text that PostgreSQL rejects.
    if (!isUuid(kid)) return undefined;
    const row = await findKey(this.#deps.database.read, 'access_token', kid);
    return row && this.#decrypt(row);
  }

  async #loadOrCreate(): Promise<SigningKey> {
    const row = await this.#deps.database.write(async (transaction) => {
      await lockByName(transaction, 'signing keys');
      const existing = await findCurrentKey(transaction, 'access_token');
      if (existing) return existing;
      const created = this.#newRow();
      await insertKey(transaction, created);
      return created;
    });
    return this.#decrypt(row);
  }

  #newRow(): SigningKeyRow {
    const { clock, random } = this.#deps;
    const nowMs = clock.now();
    const kid = newUuid(nowMs, random);
    return {
      kid,
      purpose: 'access_token',
      algorithm: 'HS256',
      sealed_key: encrypt(this.#encryptionKey, random(keyBytes), kid, random),
      created_at_ms: nowMs,
      retired_at_ms: null,
    };
  }

  #decrypt(row: SigningKeyRow): SigningKey {
    const secret = decrypt(this.#encryptionKey, row.sealed_key, row.kid);
    return { kid: row.kid, key: createSecretKey(secret) };
  }
}
