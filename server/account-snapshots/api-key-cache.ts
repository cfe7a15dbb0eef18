/** Caches the records of the most recently used API keys. */
import { LRUCache } from 'lru-cache';
import { upTo } from '../cache-size.ts';
import type { ApiKeySnapshot } from './account-snapshot.ts';

const defaultCapacity = 100_000;

/** Snapshots of API keys, by the hash of the key. */
export class ApiKeyCache {
  readonly #keys: LRUCache<string, ApiKeySnapshot>;
  /** Hashes by owner, who has one current key. */
  readonly #hashes = new Map<string, string>();

  constructor(capacity: number = defaultCapacity) {
    this.#keys = new LRUCache({ ...upTo(capacity), dispose: ({ userId }) => this.#hashes.delete(userId) });
  }

  get(hash: string): ApiKeySnapshot | undefined {
    return this.#keys.get(hash);
  }

  set(hash: string, record: ApiKeySnapshot): void {
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
