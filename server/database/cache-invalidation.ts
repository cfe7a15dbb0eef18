/**
 * Notifies every process of the accounts that have changed, so that it drops them from its cache.
 *
 * The snapshot of an account (`account-snapshots/`) is read from the rows of its user, sessions, subscriptions,
 * licenses, activations and API keys. Triggers record each change of such a row
 * (`migrations/baseline/account-change-triggers.ts`). After the commit, and before the write resolves, this process
 * drops the account; other processes learn of the change through a table on SQLite (`sqlite-change-channel.ts`) or
 * through NOTIFY on PostgreSQL (`postgres-change-channel.ts`).
 */

/**
 * Ids of the users whose accounts have changed; `everything` if a plan or a signing key has changed, or too many
 * accounts to list.
 */
export type AccountChange = readonly string[] | 'everything';

/** How a process learns of the changes in its database. */
export type ChangeChannel = {
  /**
   * Polls for changes made by other processes, unless the channel is notified of them, and applies them. Returns false
   * while changes may have been missed.
   */
  catchUp(): boolean;
  /** Applies at once what this process has just committed, if the channel reports that too. */
  refresh?(): void;
};

/** The changes of one database, including those made by other processes. */
export class CacheInvalidation {
  readonly #channel: ChangeChannel;
  readonly #listeners: ((change: AccountChange) => void)[] = [];
  readonly #watches = new Set<ChangeWatch>();

  /** `connect` receives the function that its channel calls with the changes of other processes. */
  constructor(connect: (apply: (change: AccountChange) => void) => ChangeChannel) {
    this.#channel = connect((change) => this.apply(change));
  }

  onChange(listener: (change: AccountChange) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Notifies the listeners of changes made by other processes up to a few milliseconds ago; this may query the
   * database. Must be called before a cache is used: while it returns false, cached data may be stale.
   */
  catchUp(): boolean {
    return this.#channel.catchUp();
  }

  /**
   * Returns what `load` reads, and passes it to `cache` unless it may have changed since the read began. Without
   * `isChanged`, only a change of everything counts, such as one of a plan or a signing key.
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

  /** Must be called after each write of this process, before the write resolves. */
  refresh(): void {
    this.#channel.refresh?.();
  }

  /** Notifies the listeners of a change that has been committed, or may have been. */
  apply(change: AccountChange): void {
    if (change !== 'everything' && change.length === 0) return;
    for (const watch of this.#watches) watch.record(change);
    for (const listener of this.#listeners) listener(change);
  }
}

/** Records which accounts were changed since it began. */
class ChangeWatch {
  readonly #changed = new Set<string>();
  /** True if data that belongs to no account may have changed: a plan, a feature or a signing key. */
  hasSeenEverything = false;

  record(change: AccountChange): void {
    if (change === 'everything') this.hasSeenEverything = true;
    else for (const userId of change) this.#changed.add(userId);
  }

  hasSeen(userId: string): boolean {
    return this.hasSeenEverything || this.#changed.has(userId);
  }
}
