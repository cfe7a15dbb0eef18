/** Caches the records of the API keys that were used last. */
import { LRUCache } from 'lru-cache';
import type { ApiKeyRecord, CachedApiKey } from './account-record.ts';

const defaultCapacity = 100_000;

/** A hash is a text of 32 characters, one for each byte of the SHA-256. */
export class ApiKeyCache {
  readonly #keys: LRUCache<string, ApiKeyRecord>;
  /** By the owner, who has one key that is current. */
  readonly #hashes = new Map<string, string>();

  constructor(capacity: number = defaultCapacity) {
    this.#keys = new LRUCache({ max: capacity, dispose: ({ userId }) => this.#hashes.delete(userId) });
  }

  get(hash: string): CachedApiKey | undefined {
    return this.#keys.get(hash);
  }

  set(hash: string, record: ApiKeyRecord): void {
    this.deleteOf(record.userId);
    this.#keys.set(hash, record);
    this.#hashes.set(record.userId, hash);
  }

  deleteOf(userId: string): void {
    const hash = this.#hashes.get(userId);
    if (hash !== undefined) this.#keys.delete(hash);
  }

  clear(): void {
    this.#keys.clear();
  }
}
