/**
 * Which accounts were changed, so that every process drops them from its cache.
 *
 * The snapshot of an account (`account-snapshots/`) is read from the rows of its user, sessions, subscriptions, licenses,
 * activations and API keys. Triggers note each change of such a row (`migrations/baseline/account-change-triggers.ts`). After the
 * commit, and before the write resolves, this process drops the account; other processes hear of it through a table on
 * SQLite (`sqlite-change-channel.ts`), through NOTIFY on PostgreSQL (`postgres-change-channel.ts`).
 */

/** The ids of the users whose accounts were changed; `everything` for a change of a plan or a signing key, or of too many to list. */
export type AccountChange = readonly string[] | 'everything';

/** How a process hears of the changes in its database. */
export type ChangeChannel = {
  /** Polls for the changes of other processes, if the channel is not notified of them, and applies them. Returns false while changes might be missed. */
  catchUp(): boolean;
  /** Applies at once what this process has just committed, where the channel tells it. */
  refresh?(): void;
};

/** The changes of one database, those of other processes included. */
export class CacheInvalidation {
  readonly #channel: ChangeChannel;
  readonly #listeners: ((change: AccountChange) => void)[] = [];
  readonly #watches = new Set<ChangeWatch>();

  /** `connect` gets the function that its channel calls for the changes of other processes. */
  constructor(connect: (apply: (change: AccountChange) => void) => ChangeChannel) {
    this.#channel = connect((change) => this.apply(change));
  }

  onChange(listener: (change: AccountChange) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Tells the listeners what other processes changed, up to a few milliseconds ago, for which it may query the database. Call it
   * before using a cache: while it returns false, cached data may be stale.
   */
  catchUp(): boolean {
    return this.#channel.catchUp();
  }

  /**
   * Returns what `load` reads, and calls `cache` with it unless it may have been changed since the read began. Without
   * `isChanged` only a change of everything counts, such as one of a plan or a signing key.
   */
  async load<T>(
    load: () => Promise<T>,
    cache: (loaded: T) => void,
    isChanged: (watch: ChangeWatch, loaded: T) => boolean = (watch) => watch.hasSeenEverything,
  ): Promise<T> {
    const watch = new ChangeWatch();
    this.#watches.add(watch);
    try {
      const loaded = await load();
      if (this.catchUp() && !isChanged(watch, loaded)) cache(loaded);
      return loaded;
    } finally {
      this.#watches.delete(watch);
    }
  }

  /** Call it after a write of this process, before the write resolves. */
  refresh(): void {
    this.#channel.refresh?.();
  }

  /** Tells the listeners of a change that has been committed, or may have been. */
  apply(change: AccountChange): void {
    if (change !== 'everything' && change.length === 0) return;
    for (const watch of this.#watches) watch.note(change);
    for (const listener of this.#listeners) listener(change);
  }
}

/** Records which accounts were changed since it began. */
class ChangeWatch {
  readonly #changed = new Set<string>();
  #isEverythingChanged = false;

  note(change: AccountChange): void {
    if (change === 'everything') this.#isEverythingChanged = true;
    else for (const userId of change) this.#changed.add(userId);
  }

  hasSeen(userId: string): boolean {
    return this.#isEverythingChanged || this.#changed.has(userId);
  }

  /** Whether what no account owns may have changed: a plan, a feature or a signing key. */
  get hasSeenEverything(): boolean {
    return this.#isEverythingChanged;
  }
}
