/**
 * Caches the most recently used accounts and API keys, so that frequent requests need no query. A record is dropped when
 * anything of its account is written: in this process before the write resolves, in other processes a few milliseconds
 * later (`database/account-changes.ts`). That an account or a key does not exist is never cached, so creating one needs no
 * invalidation.
 */
import type { Clock } from '../clock.ts';
import type { AccountChange } from '../database/account-changes.ts';
import type { Database } from '../database/database.ts';
import { ApiError } from '../errors.ts';
import { RecentMap } from '../recent-map.ts';
import { hasSession, loadAccount, loadApiKey } from './account-record.repository.ts';
import type { AccountRecord, ApiKeyRecord } from './account-record.ts';

/** The size of the cache: an account of the usual size takes about 1.5 kB, a key about 0.4 kB. */
const maxAccounts = 20_000;
const maxKeys = 240_000;
/** A record counts as one more account for every five licenses and devices. */
const devicesPerUnit = 5;
const maxSessions = 100;

/** How far back releases of devices are loaded: the 30 days that rules look at, and a day in case the clock is set back. */
const releasesMs = 31 * 24 * 60 * 60 * 1000;

/** What an access token was issued for. */
type Session = { readonly userId: string; readonly sessionId: string; readonly passwordChangedAtMs: number };

export type AccountRecordsDeps = { readonly database: Database; readonly clock: Clock };

export class AccountRecords {
  readonly #deps: AccountRecordsDeps;
  readonly #accounts = new RecentMap<string, AccountRecord>(maxAccounts, sizeOf);
  readonly #keys = new ApiKeyCache(maxKeys);

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

  /** The current API key with this hash if it is cached; otherwise `undefined`, and the caller uses `loadApiKey`. */
  findApiKey(hash: string): ApiKeyRecord | undefined {
    return this.#deps.database.accountChanges.isCurrent() ? this.#keys.get(hash) : undefined;
  }

  /** Loads the current API key with this hash from the database and caches it; `undefined` if there is none. */
  loadApiKey(hash: string): Promise<ApiKeyRecord | undefined> {
    return this.#cache(loadApiKey(this.#deps.database.read, hash), (record) => this.#keys.set(hash, record));
  }

  /** Whether the cache knows the session to be active; if not, the caller uses `isActive`. */
  isKnownActive({ userId, sessionId, passwordChangedAtMs }: Session): boolean {
    const account = this.findAccount(userId);
    return account?.passwordChangedAtMs === passwordChangedAtMs && account.sessions.has(sessionId);
  }

  /** Whether the session is active and the password has not changed since it began. Loads and caches what it needs. */
  async isActive(session: Session): Promise<boolean> {
    const account = this.findAccount(session.userId) ?? (await this.loadAccount(session.userId));
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

function sizeOf({ licenses = [] }: AccountRecord): number {
  const devices = licenses.reduce((sum, { active, released }) => sum + active.length + released.length, 0);
  return 1 + Math.floor((licenses.length + devices) / devicesPerUnit);
}

type Keys = { readonly byHash: Map<string, ApiKeyRecord>; readonly hashOf: Map<string, string> };

/** Works as `RecentMap`; also finds the key of a user, to delete it. */
class ApiKeyCache {
  readonly #halfCapacity: number;
  #recent: Keys = newKeys();
  #older: Keys = newKeys();

  constructor(capacity: number) {
    this.#halfCapacity = capacity / 2;
  }

  get(hash: string): ApiKeyRecord | undefined {
    const recent = this.#recent.byHash.get(hash);
    if (recent !== undefined) return recent;
    const older = this.#older.byHash.get(hash);
    if (older !== undefined) this.set(hash, older);
    return older;
  }

  set(hash: string, record: ApiKeyRecord): void {
    if (this.#recent.byHash.size >= this.#halfCapacity) {
      this.#older = this.#recent;
      this.#recent = newKeys();
    }
    this.#recent.byHash.set(hash, record);
    this.#recent.hashOf.set(record.userId, hash);
  }

  deleteOf(userId: string): void {
    for (const { byHash, hashOf } of [this.#recent, this.#older]) {
      const hash = hashOf.get(userId);
      if (hash === undefined) continue;
      byHash.delete(hash);
      hashOf.delete(userId);
    }
  }

  clear(): void {
    this.#recent = newKeys();
    this.#older = newKeys();
  }
}

function newKeys(): Keys {
  return { byHash: new Map(), hashOf: new Map() };
}
