/** Brings the hashes of all license keys up to date after a rotation of the pepper. */
import type { Database } from '../database/database.ts';
import type { Secrets } from '../secrets.ts';
import { changeHash, listOutdatedHashes } from './license.repository.ts';
import { LicenseKeyHasher } from './license-key-hash.ts';

export type LicenseHashServiceDeps = { readonly database: Database; readonly secrets: Secrets };

/** A write of so many rows takes a few milliseconds. */
const batchSize = 200;

export class LicenseHashService {
  readonly #deps: LicenseHashServiceDeps;
  readonly #hasher: LicenseKeyHasher;

  constructor(deps: LicenseHashServiceDeps) {
    this.#deps = deps;
    this.#hasher = new LicenseKeyHasher(deps.secrets);
  }

  /** In small writes, so that others go on meanwhile. Can be interrupted and repeated. Returns how many were changed. */
  async update(): Promise<number> {
    const { database, secrets } = this.#deps;
    const version = secrets.peppers.length;
    let [after, total] = ['', 0];
    for (;;) {
      const batch = await listOutdatedHashes(database.read, { version, after, limit: batchSize });
      const last = batch.at(-1);
      if (!last) return total;
      await database.write(async (transaction) => {
        for (const license of batch) {
          const hash = this.#hasher.hashAgain(license);
          if (hash) await changeHash(transaction, license, hash);
        }
      });
      total += batch.length;
      after = last.id;
    }
  }
}
