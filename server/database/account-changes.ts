/**
 * Which accounts a write changes, so that nobody goes on with what he holds of them in memory.
 *
 * Whatever is held of an account (`entitlements/account-records.ts`) comes from the rows of its user, sessions,
 * subscription, licenses, activations and API keys. A repository that changes such a row declares the account within the
 * write. After the commit, and before the write resolves, the account is dropped in this process; other processes learn of
 * it from what the write itself told them, see `sqlite-change-channel.ts`.
 */
import type { Transaction as KyselyTransaction } from 'kysely';
import type { Tables } from './tables.ts';

type Transaction = KyselyTransaction<Tables>;

/** The ids of users, or more than could be named. */
export type AccountChange = readonly string[] | 'everything';

/** Declares that the write changes what is held of the account. A license without an owner is held by nobody. */
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

// By transaction, so that repositories need nothing else to declare a change.
const declared = new WeakMap<Transaction, Set<string> | 'everything'>();

function takeDeclared(transaction: Transaction): AccountChange {
  const change = declared.get(transaction) ?? [];
  declared.delete(transaction);
  return change === 'everything' ? change : [...change];
}

/** How the processes on one database tell each other of changes. */
export type ChangeChannel = {
  /** Within the transaction, so that others learn of the change exactly if it is committed. */
  announce(transaction: Transaction, change: AccountChange): Promise<void>;
  /** Passes on what other processes have changed; false while it cannot be known. */
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
   * To be asked before something held is used, and before it is held: whether everything that other processes changed was
   * passed on to the listeners by now, or a few milliseconds ago. While it is false, nothing may be held.
   */
  isCurrent(): boolean {
    return this.#channel.isCurrent();
  }

  /** To be called before reading what will be held, and ended afterwards: what was changed meanwhile must not be held. */
  watch(): ChangeWatch {
    const watch = new ChangeWatch(() => this.#watches.delete(watch));
    this.#watches.add(watch);
    return watch;
  }

  /** For the end of a transaction that is about to commit: tells other processes, and returns what to apply afterwards. */
  async announce(transaction: Transaction): Promise<AccountChange> {
    const change = takeDeclared(transaction);
    if (change.length > 0) await this.#channel.announce(transaction, change);
    return change;
  }

  /** For a change that is committed, or may be. */
  apply(change: AccountChange): void {
    if (change.length === 0) return;
    for (const watch of this.#watches) watch.note(change);
    for (const listener of this.#listeners) listener(change);
  }
}

/** What was changed since it began. */
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
