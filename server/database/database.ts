/** The database as services see it: reads of committed data, and writes that are on the disk once they resolve. */
import type { Kysely, Transaction as KyselyTransaction } from 'kysely';
import type { CacheInvalidation } from './cache-invalidation.ts';
import type { Dialect } from './dialect.ts';
import type { Tables } from './tables.ts';
import type { WriteStatistics } from './write-statistics.ts';

/** The transaction of a write. */
export type Transaction = KyselyTransaction<Tables>;

/** Where a query runs: `database.read`, or the transaction of a write. */
export type Executor = Kysely<Tables>;

/** One step of the schema; `migrate.ts` lists all of them in order. */
export type Migration = {
  /** Never changed once released: applied migrations are recognized by it. */
  readonly name: string;
  apply(transaction: Transaction, dialect: Dialect, nowMs: number): Promise<void>;
};

export type Database = {
  /** Whether there was none, so that it was created just now. */
  readonly isNew: boolean;
  /** Sees what is committed. For reading only: SQLite refuses a write on it, PostgreSQL would not. */
  readonly read: Executor;
  /**
   * Runs `work` in a transaction and resolves with its result once that is on the disk.
   * When `work` throws, its changes are undone and the error is passed on. `work` must await nothing but its queries,
   * because other writes wait for it. On SQLite writes run one after the other, and those that arrive together share one
   * commit. On PostgreSQL they run at the same time: `work` first locks what its decision depends on (`row-locks.ts`).
   * On PostgreSQL `work` may run again from the beginning, after a conflict with another transaction.
   * Throws `DatabaseUnavailable` when the database is locked, full or failing, and when the write cannot begin within
   * the deadline of its request (10 s outside of a request); then it is never begun. A write that has begun and does not
   * end in time also throws, and may be on the disk all the same.
   */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Tells which accounts are changed by writes, in this and in other processes. */
  readonly cacheInvalidation: CacheInvalidation;
  /** What the metrics tell of the writes of this process. */
  readonly writeStatistics: WriteStatistics;
  /** Waits for the writes that were accepted, then closes. May be called more than once. */
  close(): Promise<void>;
};

/**
 * "LtKy". Marks a SQLite file as a database of this service (sqlite.org/pragma.html#pragma_application_id),
 * and is part of the key of every advisory lock in PostgreSQL.
 */
export const applicationId = 0x4c744b79;
