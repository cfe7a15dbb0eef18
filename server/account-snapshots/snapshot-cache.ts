/**
 * The snapshots of accounts and API keys. The most recently used ones are cached, so that frequent requests need no
 * query. A snapshot is dropped when anything of its account is written: in this process before the write resolves, in
 * other processes a few milliseconds later (`database/cache-invalidation.ts`). That an account or a key does not exist
 * is never cached, so creating one needs no invalidation.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { AccountChange } from '../database/cache-invalidation.ts';
import type { Database, Executor } from '../database/database.ts';
import { ApiError } from '../errors.ts';
import { hasSession, loadAccount, loadApiKey, loadLicense } from './account-snapshot.repository.ts';
import type { AccountSnapshot, ApiKeySnapshot, LicenseSnapshot } from './account-snapshot.ts';
import { ApiKeyCache } from './api-key-cache.ts';

/** Maximum memory for cached accounts, about 20,000 of the usual size. An account larger than this is not cached. */
const maxAccountBytes = 32 * 1024 * 1024;

/** Heap size of an account, and what each of its licenses and devices adds. */
const accountBytes = 750;
const licenseBytes = 550;
const deviceBytes = 250;
const maxSessions = 100;

/** What an access token was issued for. */
type Session = { readonly userId: string; readonly sessionId: string; readonly passwordChangedAtMs: number };

type SnapshotCacheDeps = { readonly database: Database; readonly clock: Clock };

export class SnapshotCache {
  readonly #deps: SnapshotCacheDeps;
  readonly #accounts = new LRUCache<string, AccountSnapshot>({
    maxSize: maxAccountBytes,
    sizeCalculation: estimateBytes,
  });
  readonly #keys = new ApiKeyCache();

  constructor(deps: SnapshotCacheDeps) {
    this.#deps = deps;
    deps.database.cacheInvalidation.onChange((change) => this.#drop(change));
  }

  /** Returns `undefined` if there is no such account. */
  async findAccount(userId: string): Promise<AccountSnapshot | undefined> {
    return (
      this.#findCached(userId) ??
      (await this.#load(
        () => this.readAccount(this.#deps.database.read, userId),
        (account) => this.#accounts.set(userId, account),
      ))
    );
  }

  /** Reads the account, past the cache; `undefined` if there is none. */
  readAccount(executor: Executor, userId: string): Promise<AccountSnapshot | undefined> {
    return loadAccount(executor, { userId, nowMs: this.#deps.clock.now() });
  }

  /** Reads the license with this hash, whether or not it has an owner; `undefined` if there is none. */
  readLicense(executor: Executor, keyHash: string): Promise<LicenseSnapshot | undefined> {
    return loadLicense(executor, { keyHash, nowMs: this.#deps.clock.now() });
  }

  /** Throws `ApiError` INVALID_TOKEN if the account was deleted while its request was running. */
  async requireAccount(userId: string): Promise<AccountSnapshot> {
    const account = await this.findAccount(userId);
    if (!account) throw new ApiError('INVALID_TOKEN');
    return account;
  }

  /** Returns the current API key with this hash (`hashApiKey`); `undefined` if there is none. */
  async findApiKey(hash: string): Promise<ApiKeySnapshot | undefined> {
    const { cacheInvalidation, read } = this.#deps.database;
    return (
      (cacheInvalidation.catchUp() ? this.#keys.get(hash) : undefined) ??
      (await this.#load(
        () => loadApiKey(read, hash),
        (key) => this.#keys.set(hash, key),
      ))
    );
  }

  /** True if the session is active and the password has not changed since it began. */
  async isActive(session: Session): Promise<boolean> {
    const account = await this.findAccount(session.userId);
    if (account?.passwordChangedAtMs === session.passwordChangedAtMs && account.sessions.has(session.sessionId))
      return true;
    const isActive = await hasSession(this.#deps.database.read, session);
    // Added only to a snapshot that is still cached: if it has been dropped, the session may have ended meanwhile.
    if (isActive && account && this.#findCached(session.userId) === account) {
      if (account.sessions.size >= maxSessions) account.sessions.clear();
      account.sessions.add(session.sessionId);
    }
    return isActive;
  }

  #findCached(userId: string): AccountSnapshot | undefined {
    return this.#deps.database.cacheInvalidation.catchUp() ? this.#accounts.get(userId) : undefined;
  }

  /** Caches what is being loaded, unless its account changes meanwhile. */
  #load<T extends { readonly userId: string }>(
    load: () => Promise<T | undefined>,
    cache: (snapshot: T) => void,
  ): Promise<T | undefined> {
    return this.#deps.database.cacheInvalidation.load(
      load,
      (snapshot) => snapshot && cache(snapshot),
      (watch, snapshot) => snapshot !== undefined && watch.hasSeen(snapshot.userId),
    );
  }

  #drop(change: AccountChange): void {
    if (change === 'everything') {
      this.#accounts.clear();
      this.#keys.clear();
      return;
    }
    for (const userId of change) {
      this.#accounts.delete(userId);
      this.#keys.deleteOf(userId);
    }
  }
}

function estimateBytes({ licenses }: AccountSnapshot): number {
  const devices = licenses.reduce((sum, { active, released }) => sum + active.length + released.length, 0);
  return accountBytes + licenses.length * licenseBytes + devices * deviceBytes;
}
