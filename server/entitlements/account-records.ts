/**
 * The accounts and API keys that were used last, held in memory, so that a frequent request asks the database nothing.
 * What is held is what the database has: a record is dropped when anything of its account is written, in this process
 * before the write resolves, in another one within some milliseconds (`database/account-changes.ts`). Only what exists is
 * held, so nothing has to be dropped when something comes into being.
 */
import type { Clock } from '../clock.ts';
import type { AccountChange } from '../database/account-changes.ts';
import type { Database } from '../database/database.ts';
import { ApiError } from '../errors.ts';
import { RecentMap } from '../recent-map.ts';
import { hasSession, loadAccount, loadApiKey } from './account-record.repository.ts';
import type { AccountRecord, ApiKeyRecord } from './account-record.ts';

/** How much is held at most: an account of the usual size takes about 1.5 kB, a key about 0.4 kB. */
const mostAccounts = 20_000;
const mostKeys = 240_000;
/** A record counts once more for each so many devices. */
const devicesPerUnit = 5;
const mostSessions = 100;

/** How far back releases of devices are loaded: the 30 days that rules look at, and a day in case the clock is set back. */
const releasesMs = 31 * 24 * 60 * 60 * 1000;

/** What an access token was issued for. */
type Session = { readonly userId: string; readonly sessionId: string; readonly passwordChangedAtMs: number };

export type AccountRecordsDeps = { readonly database: Database; readonly clock: Clock };

export class AccountRecords {
  readonly #deps: AccountRecordsDeps;
  readonly #accounts = new RecentMap<string, AccountRecord>(mostAccounts, sizeOf);
  readonly #keys = new HeldKeys(mostKeys);

  constructor(deps: AccountRecordsDeps) {
    this.#deps = deps;
    deps.database.accountChanges.onChange((change) => this.#drop(change));
  }

  /** The account if it is held; `undefined` leaves the question to `loadAccount`. */
  findAccount(userId: string): AccountRecord | undefined {
    return this.#deps.database.accountChanges.isCurrent() ? this.#accounts.get(userId) : undefined;
  }

  /** The account as it is in the database, held from now on; `undefined` where there is none. */
  loadAccount(userId: string): Promise<AccountRecord | undefined> {
    const account = { userId, releasesSinceMs: this.#deps.clock.now() - releasesMs };
    return this.#hold(loadAccount(this.#deps.database.read, account), (record) => this.#accounts.set(userId, record));
  }

  /** The account, held or loaded. Throws `ApiError` INVALID_TOKEN where it was deleted while its request was running. */
  async requireAccount(userId: string): Promise<AccountRecord> {
    const account = this.findAccount(userId) ?? (await this.loadAccount(userId));
    if (!account) throw new ApiError('INVALID_TOKEN');
    return account;
  }

  /** The current API key with this hash if it is held; `undefined` leaves the question to `loadApiKey`. */
  findApiKey(hash: string): ApiKeyRecord | undefined {
    return this.#deps.database.accountChanges.isCurrent() ? this.#keys.get(hash) : undefined;
  }

  /** The current API key with this hash as it is in the database, held from now on; `undefined` where there is none. */
  loadApiKey(hash: string): Promise<ApiKeyRecord | undefined> {
    return this.#hold(loadApiKey(this.#deps.database.read, hash), (record) => this.#keys.set(hash, record));
  }

  /** Whether the session is known to go on under that password; false leaves the question to `isActive`. */
  isKnownActive({ userId, sessionId, passwordChangedAtMs }: Session): boolean {
    const account = this.findAccount(userId);
    return account?.passwordChangedAtMs === passwordChangedAtMs && account.sessions.has(sessionId);
  }

  /** Whether the user has the session, and has had no other password since. */
  async isActive(session: Session): Promise<boolean> {
    const account = this.findAccount(session.userId) ?? (await this.loadAccount(session.userId));
    const isActive = await hasSession(this.#deps.database.read, session);
    // Only of a record that is still held: of any other, the session may have ended meanwhile.
    if (isActive && account && this.findAccount(session.userId) === account) {
      if (account.sessions.size >= mostSessions) account.sessions.clear();
      account.sessions.add(session.sessionId);
    }
    return isActive;
  }

  /** Holds what is being read, unless its account is changed meanwhile. */
  async #hold<T extends { readonly userId: string }>(
    reading: Promise<T | undefined>,
    hold: (record: T) => void,
  ): Promise<T | undefined> {
    const { accountChanges } = this.#deps.database;
    const watch = accountChanges.watch();
    try {
      const record = await reading;
      if (record && accountChanges.isCurrent() && !watch.hasSeen(record.userId)) hold(record);
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

/** As `RecentMap`, and found by the user too. */
class HeldKeys {
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
