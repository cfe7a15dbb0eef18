/** Caches the records of the most recently used API keys. */
import { LRUCache } from 'lru-cache';
import { upTo } from '../cache-size.ts';
import type { ApiKeySnapshot } from './account-snapshot.ts';

const defaultCapacity = 100_000;

/** API keys by hash. */
export class ApiKeyCache {
  readonly #keys: LRUCache<string, ApiKeySnapshot>;
  /** Hash of the current key by owner; each owner has only one. */
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
