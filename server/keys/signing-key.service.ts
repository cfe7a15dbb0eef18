/** The keys that sign for one purpose, stored encrypted under the master key. */
import type { CommonDeps } from '../common-deps.ts';
import type { Transaction } from '../database/database.ts';
import { lockByName } from '../database/row-locks.ts';
import { isUuid, newUuid } from '../random.ts';
import { SecretBox } from '../secrets/secret-box.ts';
import * as repository from './signing-key.repository.ts';
import { algorithms, createKey, type SigningKey } from './signing-key.ts';

type SigningKeyServiceDeps = Pick<CommonDeps, 'database' | 'secrets' | 'clock' | 'random'> & {
  readonly purpose: repository.SigningPurpose;
  /** Usual lifetime of what it signs, in ms. */
  readonly lifetimeMs: number;
};

const secretBytes = 32;

export class SigningKeyService {
  readonly #deps: SigningKeyServiceDeps;
  readonly #box: SecretBox;
  /** Valid until any process replaces a key. */
  #cached: SigningKey | undefined;

  constructor(deps: SigningKeyServiceDeps) {
    this.#deps = deps;
    this.#box = new SecretBox(deps.secrets, 'signing keys');
    deps.database.cacheInvalidation.onChange((change) => {
      if (change === 'everything') this.#cached = undefined;
    });
  }

  /** Returns the key for new signatures. The first call reads it from the database, or creates it there. */
  async current(): Promise<SigningKey> {
    const { cacheInvalidation } = this.#deps.database;
    if (cacheInvalidation.catchUp() && this.#cached) return this.#cached;
    const cache = (key: SigningKey) => {
      this.#cached = key;
    };
    return cacheInvalidation.load(async () => this.#decrypt(await this.#findOrCreate()), cache);
  }

  /** Returns the key with this id, including one added by another process; `undefined` if it is unknown or retired. */
  async find(kid: string): Promise<SigningKey | undefined> {
    const current = await this.current();
    if (kid === current.kid) return current;
    // The id comes from an unverified token and may contain text that PostgreSQL rejects.
    if (!isUuid(kid)) return undefined;
    const { database, purpose, clock } = this.#deps;
    const [row] = await repository.listUsableKeys(database.read, { purpose, kid, nowMs: clock.now() });
    return row && this.#decrypt(row);
  }

  /** Lists all keys whose signatures may still be valid, the current one first. */
  async list(): Promise<SigningKey[]> {
    await this.current();
    const { database, purpose, clock } = this.#deps;
    return (await repository.listUsableKeys(database.read, { purpose, nowMs: clock.now() })).map((row) =>
      this.#decrypt(row),
    );
  }

  /**
   * Must be called in a transaction that issues something with a longer lifetime than usual: the key is kept that long,
   * even if it is replaced meanwhile.
   */
  async cover(transaction: Transaction, key: SigningKey, lifetimeMs: number): Promise<void> {
    if (lifetimeMs <= key.longestLifeMs) return;
    await repository.extendLife(transaction, { kid: key.kid, nowMs: this.#deps.clock.now(), lifetimeMs });
  }

  /**
   * Replaces the key that signs, within a transaction that holds the lock `signing keys`. The previous key verifies
   * what it signed until the last of it has expired, plus an hour for processes that have not learned of the new key
   * yet. If the key is compromised, then it, all earlier keys and a prepared key stop verifying at once, since an
   * attacker with a copy of one may have all of them. Otherwise a prepared key becomes the next one. Returns the new
   * key, and the one that it replaced.
   */
  async rotate(transaction: Transaction, { isCompromised }: { readonly isCompromised: boolean }) {
    const { purpose, clock, lifetimeMs } = this.#deps;
    const [nowMs, replaced] = [clock.now(), await repository.findCurrentKey(transaction, purpose)];
    const retired = isCompromised
      ? await repository.endKeys(transaction, purpose, nowMs)
      : await repository.retireKeys(transaction, { purpose, nowMs, lifetimeMs });
    const retiredAtMs = retired.find(({ kid }) => kid === replaced?.kid)?.retired_at_ms ?? null;
    await repository.deleteRetiredKeys(transaction, nowMs);
    const created = await this.#takeNext(transaction);
    return { created, replaced: replaced && { ...replaced, retired_at_ms: retiredAtMs } };
  }

  /**
   * Publishes the key that the next rotation will use, so that apps can be built with it beforehand. Must run in a
   * transaction that holds the lock `signing keys`. Returns the existing one if a key is already prepared.
   */
  async prepare(transaction: Transaction): Promise<repository.SigningKeyRow> {
    const prepared = await repository.findPreparedKey(transaction, this.#deps.purpose);
    if (prepared) return prepared;
    const created = { ...this.#newRow(), is_prepared: 1 } as const;
    await repository.insertKey(transaction, created);
    return created;
  }

  async #takeNext(transaction: Transaction): Promise<repository.SigningKeyRow> {
    const prepared = await repository.findPreparedKey(transaction, this.#deps.purpose);
    if (prepared) {
      await repository.activatePreparedKey(transaction, prepared.kid);
      return { ...prepared, is_prepared: 0 };
    }
    const created = this.#newRow();
    await repository.insertKey(transaction, created);
    return created;
  }

  async #findOrCreate(): Promise<repository.SigningKeyRow> {
    const { database, purpose, lifetimeMs } = this.#deps;
    const row = await repository.findCurrentKey(database.read, purpose);
    if (row && row.longest_life_ms >= lifetimeMs) return row;
    return database.write(async (transaction) => {
      await lockByName(transaction, 'signing keys');
      const existing = await repository.findCurrentKey(transaction, purpose);
      if (existing) {
        await repository.extendLife(transaction, { kid: existing.kid, nowMs: this.#deps.clock.now(), lifetimeMs });
        return { ...existing, longest_life_ms: Math.max(lifetimeMs, existing.longest_life_ms) };
      }
      const created = this.#newRow();
      await repository.insertKey(transaction, created);
      return created;
    });
  }

  #newRow(): repository.SigningKeyRow {
    const { purpose, clock, random, lifetimeMs } = this.#deps;
    const nowMs = clock.now();
    const kid = newUuid(nowMs, random);
    return {
      kid,
      purpose,
      algorithm: algorithms[purpose],
      encrypted_key: this.#box.encrypt(random(secretBytes), kid, random),
      created_at_ms: nowMs,
      longest_life_ms: lifetimeMs,
      retired_at_ms: null,
      is_prepared: 0,
    };
  }

  #decrypt(row: repository.SigningKeyRow): SigningKey {
    const secret = this.#box.decrypt(row.encrypted_key, row.kid);
    return { kid: row.kid, key: createKey(row.purpose, secret), longestLifeMs: row.longest_life_ms };
  }
}
