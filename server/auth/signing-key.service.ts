/** The keys that sign access tokens: made when there is none, kept sealed in the database, opened here only. */
import type { webcrypto } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { decrypt, deriveKey, encrypt } from '../encryption.ts';
import { isUuid, newUuid, type Random } from '../random.ts';
import type { Secrets } from '../secrets.ts';
import { findCurrentKey, findKey, insertKey, type SigningKeyRow } from './signing-key.repository.ts';

export type AccessTokenKey = { readonly kid: string; readonly key: webcrypto.CryptoKey };

/** The HS256 keys of access tokens. */
export type AccessTokenKeys = {
  /** What new tokens are signed with. */
  readonly current: AccessTokenKey;
  /** The key of that id, also one that another process has added; `undefined` when unknown or retired. */
  find(kid: string): Promise<AccessTokenKey | undefined>;
};

type Parts = { database: Database; secrets: Secrets; clock: Clock; random: Random };

const keyBytes = 32;

/** Reads the keys of the database, and makes the first one. */
export async function loadAccessTokenKeys({ database, secrets, clock, random }: Parts): Promise<AccessTokenKeys> {
  const encryptionKey = deriveKey(secrets.masterKey, 'signing keys');
  const openRow = async (row: SigningKeyRow): Promise<AccessTokenKey> => ({
    kid: row.kid,
    key: await importKey(decrypt(encryptionKey, row.sealed_key, row.kid)),
  });
  const row = await database.write(async (transaction) => {
    const existing = await findCurrentKey(transaction, 'access_token');
    if (existing) return existing;
    const kid = newUuid(clock.now(), random);
    const made: SigningKeyRow = {
      kid,
      purpose: 'access_token',
      algorithm: 'HS256',
      sealed_key: encrypt(encryptionKey, random(keyBytes), kid, random),
      created_at_ms: clock.now(),
      retired_at_ms: null,
    };
    await insertKey(transaction, made);
    return made;
  });
  const current = await openRow(row);
  return {
    current,
    async find(kid) {
      if (kid === current.kid) return current;
      // Anyone can write anything there, also what PostgreSQL does not take for text.
      if (!isUuid(kid)) return undefined;
      const found = await findKey(database.read, 'access_token', kid);
      return found && (await openRow(found));
    },
  };
}

/** Imported once: importing it for every token costs more than the signature. */
function importKey(secret: Buffer<ArrayBuffer>): Promise<webcrypto.CryptoKey> {
  return crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
}
