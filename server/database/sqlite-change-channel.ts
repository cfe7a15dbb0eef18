/**
 * Detects which accounts were changed in a SQLite file: a process reads the table `account_changes` whenever a
 * connection other than the reading one has committed something.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Clock } from '../clock.ts';
import type { AccountChange, ChangeChannel } from './cache-invalidation.ts';
import { maxStoredChanges } from './migrations/baseline/account-change-triggers.ts';

/** Minimum interval between checks of the data version; changes of other processes are seen at most this late. */
const lookIntervalMs = 10;

type Row = { readonly seq: number; readonly user_id: string | null };

type State = {
  readonly dataVersion: StatementSync;
  readonly newChanges: StatementSync;
  version: unknown;
  /** The last change that was passed on. */
  seq: number;
};

type SqliteChangeChannelDeps = {
  /**
   * Must never write: `data_version` shows only the commits of other connections
   * (sqlite.org/pragma.html#pragma_data_version).
   */
  readonly connection: DatabaseSync;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly apply: (change: AccountChange) => void;
};

export class SqliteChangeChannel implements ChangeChannel {
  readonly #deps: SqliteChangeChannelDeps;
  #state: State | undefined;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: SqliteChangeChannelDeps) {
    this.#deps = deps;
  }

  catchUp(): boolean {
    return this.#deps.clock.monotonic() - this.#lookedAtMs < lookIntervalMs || this.refresh();
  }

  refresh(): boolean {
    try {
      this.#look();
      this.#lookedAtMs = this.#deps.clock.monotonic();
      return true;
    } catch {
      // The next query fails in the same way, and reports it.
      this.#state = undefined;
      this.#lookedAtMs = Number.NEGATIVE_INFINITY;
      this.#deps.apply('everything');
      return false;
    }
  }

  #look(): void {
    this.#state ??= this.#begin();
    const version = this.#state.dataVersion.get()?.data_version;
    if (version === this.#state.version) return;
    // Read after the version, so that a commit in between is looked at again.
    const rows = this.#state.newChanges.all(this.#state.seq) as Row[];
    this.#state.version = version;
    const [first, last] = [rows[0], rows.at(-1)];
    if (!first || !last) return;
    const users = rows.map(({ user_id }) => user_id);
    const isComplete = first.seq === this.#state.seq + 1 && rows.length <= maxStoredChanges;
    if (isComplete) this.#state.seq = last.seq;
    else this.#state = this.#begin();
    this.#deps.apply(isComplete && users.every((userId) => userId !== null) ? users : 'everything');
  }

  /** Starts from the latest change. Nothing is cached at this point, so earlier changes need not be applied. */
  #begin(): State {
    const { connection } = this.#deps;
    const dataVersion = connection.prepare('pragma data_version');
    const newChanges = connection.prepare(
      `select seq, user_id from account_changes where seq > ? order by seq limit ${maxStoredChanges + 1}`,
    );
    const version = dataVersion.get()?.data_version;
    // The highest row id is stored under the table's name and outlives the rows (sqlite.org/autoinc.html).
    const last = connection.prepare("select seq from sqlite_sequence where name = 'account_changes'").get();
    return { dataVersion, newChanges, version, seq: Number(last?.seq ?? 0) };
  }
}
