/**
 * Which accounts a write changes, so that every process drops them from its cache.
 *
 * The cached record of an account (`account-snapshots/account-snapshots.ts`) is read from the rows of its user, sessions,
 * subscription, licenses, activations and API keys. A repository that changes such a row declares the account within the
 * write. After the commit, and before the write resolves, this process drops the account. The transaction itself announces
 * the change to other processes: through a table on SQLite (`sqlite-change-channel.ts`), through NOTIFY on PostgreSQL
 * (`postgres-change-channel.ts`).
 */
import type { Transaction as KyselyTransaction } from 'kysely';
import type { Tables } from './tables.ts';

type Transaction = KyselyTransaction<Tables>;

/** The ids of the users whose accounts were changed; `everything` for a change of a plan or a signing key, or of too many to list. */
export type AccountChange = readonly string[] | 'everything';

/** Declares that the write changes the user's account. `null` is the owner of an unclaimed license, which is not cached. */
export function accountChanged(transaction: Transaction, userId: string | null): void {
  if (userId === null) return;
  const known = declared.get(transaction);
  if (known === undefined) declared.set(transaction, new Set([userId]));
  else if (known !== 'everything') known.add(userId);
}

/** Declares that the write changes a plan, which every account may depend on. */
export function plansChanged(transaction: Transaction): void {
  declared.set(transaction, 'everything');
}

/** Declares that the write changes a signing key or the secrets, which every process caches. It is rare, so it may drop all that is cached. */
export function keysChanged(transaction: Transaction): void {
  declared.set(transaction, 'everything');
}

// Keyed by the transaction, so that a repository needs nothing else to declare a change.
const declared = new WeakMap<Transaction, Set<string> | 'everything'>();

function takeDeclared(transaction: Transaction): AccountChange {
  const change = declared.get(transaction) ?? [];
  declared.delete(transaction);
  return change === 'everything' ? change : [...change];
}

/** How the processes on one database tell each other of changes. */
export type ChangeChannel = {
  /** Is part of the transaction, so that other processes learn of the change if, and only if, it is committed. */
  announce(transaction: Transaction, change: AccountChange): Promise<void>;
  /** Applies what other processes have changed; returns false while that cannot be known. */
  isCurrent(): boolean;
};

/** The changes of one database, those of other processes included. */
export class AccountChanges {
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
   * Whether the listeners have been told of everything that other processes changed, up to a few milliseconds ago. Call it
   * before using or filling a cache: while it returns false, cached data may be stale.
   */
  isCurrent(): boolean {
    return this.#channel.isCurrent();
  }

  /** Call it before reading something to cache, and `end` it afterwards. What it has seen change must not be cached. */
  watch(): ChangeWatch {
    const watch = new ChangeWatch(() => this.#watches.delete(watch));
    this.#watches.add(watch);
    return watch;
  }

  /** Call it before the commit. Announces the change to other processes, and returns it, to be applied after the commit. */
  async announce(transaction: Transaction): Promise<AccountChange> {
    const change = takeDeclared(transaction);
    if (change.length > 0) await this.#channel.announce(transaction, change);
    return change;
  }

  /** Tells the listeners of a change that has been committed, or may have been. */
  apply(change: AccountChange): void {
    if (change.length === 0) return;
    for (const watch of this.#watches) watch.note(change);
    for (const listener of this.#listeners) listener(change);
  }
}

/** Records which accounts were changed since it began. */
export class ChangeWatch {
  readonly end: () => void;
  readonly #changed = new Set<string>();
  #isEverythingChanged = false;

  constructor(end: () => void) {
    this.end = end;
  }

  note(change: AccountChange): void {
    if (change === 'everything') this.#isEverythingChanged = true;
    else for (const userId of change) this.#changed.add(userId);
  }

  hasSeen(userId: string): boolean {
    return this.#isEverythingChanged || this.#changed.has(userId);
  }

  /** Whether a plan may have changed. */
  get hasSeenEverything(): boolean {
    return this.#isEverythingChanged;
  }
}
