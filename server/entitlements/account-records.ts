/**
 * Caches the most recently used accounts and API keys, so that frequent requests need no query. A record is dropped when
 * anything of its account is written: in this process before the write resolves, in other processes a few milliseconds
 * later (`database/account-changes.ts`). That an account or a key does not exist is never cached, so creating one needs no
 * invalidation.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { AccountChange } from '../database/account-changes.ts';
import type { Database } from '../database/database.ts';
import { ApiError } from '../errors.ts';
import { hasSession, loadAccount, loadApiKey } from './account-record.repository.ts';
import type { AccountRecord, CachedApiKey } from './account-record.ts';
import { ApiKeyCache } from './api-key-cache.ts';

/** How much memory the cached accounts may take, about 20,000 of the usual size. */
const maxAccountBytes = 32 * 1024 * 1024;

/** What an account takes, and what each of its licenses and devices adds, as the heap grows by it. */
const accountBytes = 750;
const licenseBytes = 550;
const deviceBytes = 250;
const maxSessions = 100;

/** How far back releases of devices are loaded: the 30 days that rules look at, and a day in case the clock is set back. */
const releasesMs = 31 * 24 * 60 * 60 * 1000;

/** What an access token was issued for. */
type Session = { readonly userId: string; readonly sessionId: string; readonly passwordChangedAtMs: number };

export type AccountRecordsDeps = { readonly database: Database; readonly clock: Clock };

export class AccountRecords {
  readonly #deps: AccountRecordsDeps;
  readonly #accounts = new LRUCache<string, AccountRecord>({
    maxSize: maxAccountBytes,
    sizeCalculation: estimateBytes,
  });
  readonly #keys = new ApiKeyCache();

  constructor(deps: AccountRecordsDeps) {
    this.#deps = deps;
    deps.database.accountChanges.onChange((change) => this.#drop(change));
  }

  /** The account if it is cached; otherwise `undefined`, and the caller uses `loadAccount`. */
  findAccount(userId: string): AccountRecord | undefined {
    return this.#deps.database.accountChanges.isCurrent() ? this.#accounts.get(userId) : undefined;
  }

  /** Loads the account from the database and caches it; `undefined` if there is none. */
  loadAccount(userId: string): Promise<AccountRecord | undefined> {
    const account = { userId, releasesSinceMs: this.#deps.clock.now() - releasesMs };
    return this.#cache(loadAccount(this.#deps.database.read, account), (record) => this.#accounts.set(userId, record));
  }

  /** The account, cached or loaded. Throws `ApiError` INVALID_TOKEN if it was deleted while its request was running. */
  async requireAccount(userId: string): Promise<AccountRecord> {
    const account = this.findAccount(userId) ?? (await this.loadAccount(userId));
    if (!account) throw new ApiError('INVALID_TOKEN');
    return account;
  }

  /**
   * The current API key with this SHA-256 (`digestApiKey`) if it is cached; otherwise `undefined`, and the caller uses
   * `loadApiKey`.
   */
  findApiKey(digest: string): CachedApiKey | undefined {
    return this.#deps.database.accountChanges.isCurrent() ? this.#keys.get(digest) : undefined;
  }

  /** Loads the current API key with this SHA-256 from the database and caches it; `undefined` if there is none. */
  loadApiKey(digest: string): Promise<CachedApiKey | undefined> {
    const hash = Buffer.from(digest, 'latin1').toString('hex');
    return this.#cache(loadApiKey(this.#deps.database.read, hash), (record) => this.#keys.set(digest, record));
  }

  /** Whether the session is active and the password has not changed since it began. Loads and caches what it needs. */
  async isActive(session: Session): Promise<boolean> {
    const account = this.findAccount(session.userId) ?? (await this.loadAccount(session.userId));
    if (account?.passwordChangedAtMs === session.passwordChangedAtMs && account.sessions.has(session.sessionId))
      return true;
    const isActive = await hasSession(this.#deps.database.read, session);
    // Only in a record that is still cached: if it has been dropped, the session may have ended meanwhile.
    if (isActive && account && this.findAccount(session.userId) === account) {
      if (account.sessions.size >= maxSessions) account.sessions.clear();
      account.sessions.add(session.sessionId);
    }
    return isActive;
  }

  /** Stores what is being loaded, unless its account is changed meanwhile. */
  async #cache<T extends { readonly userId: string }>(
    loading: Promise<T | undefined>,
    store: (record: T) => void,
  ): Promise<T | undefined> {
    const { accountChanges } = this.#deps.database;
    const watch = accountChanges.watch();
    try {
      const record = await loading;
      if (record && accountChanges.isCurrent() && !watch.hasSeen(record.userId)) store(record);
      return record;
    } finally {
      watch.end();
    }
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

function estimateBytes({ licenses = [] }: AccountRecord): number {
  const devices = licenses.reduce((sum, { active, released }) => sum + active.length + released.length, 0);
  return accountBytes + licenses.length * licenseBytes + devices * deviceBytes;
}
