/**
 * The database as services see it: reads of committed data, and writes that are on disk once they resolve. Implemented
 * by `sqlite-database.ts` and `postgres-database.ts`.
 */
import { type Kysely, type Transaction as KyselyTransaction, PostgresAdapter } from 'kysely';
import type { CacheInvalidation } from './cache-invalidation.ts';
import type { Tables } from './tables.ts';
import type { WriteStatistics } from './write-statistics.ts';

/** The transaction of a write. */
export type Transaction = KyselyTransaction<Tables>;

/** What a query runs on: `database.read`, or the transaction of a write. */
export type Executor = Kysely<Tables>;

/** One step of the schema; `migrate.ts` lists all steps in order. */
export type Migration = {
  /** Identifies an applied migration, so it never changes once released. */
  readonly name: string;
  apply(transaction: Transaction, nowMs: number): Promise<void>;
};

export type Database = {
  /** True if the database did not exist and has just been created. */
  readonly isNew: boolean;
  /** Sees committed data. Only for reading: SQLite refuses writes on it, but PostgreSQL would not. */
  readonly read: Executor;
  /**
   * Runs `work` in a transaction and resolves with its result once that is on disk.
   *
   * If `work` throws, its changes are rolled back and the error is passed on. `work` must await nothing but its
   * queries, because other writes wait for it. On SQLite, writes run one after the other, and those that arrive
   * together share one commit. On PostgreSQL they run concurrently: `work` first locks what its decision depends on
   * (`row-locks.ts`), and may run again from the beginning after a conflict with another transaction.
   *
   * Throws `DatabaseUnavailable` if the database is locked, full or failing, or if the write cannot begin within the
   * deadline of its request (10 s outside of a request); in that case it never begins. A write that has begun but does
   * not end in time also throws, yet may still reach the disk.
   */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Reports which accounts are changed by writes of this and other processes. */
  readonly cacheInvalidation: CacheInvalidation;
  /** Figures about this process's writes, for the metrics. */
  readonly writeStatistics: WriteStatistics;
  /** Waits for the writes that were accepted, then closes. May be called more than once. */
  close(): Promise<void>;
};

/**
 * "LtKy". Marks a SQLite file as a database of this service (sqlite.org/pragma.html#pragma_application_id), and is part
 * of the key of every advisory lock in PostgreSQL.
 */
export const applicationId = 0x4c744b79;

export type Dialect = 'sqlite' | 'postgres';

/** True if the database is PostgreSQL, for the few statements that SQLite does not have. */
export function isPostgres(executor: Executor): boolean {
  return executor.getExecutor().adapter instanceof PostgresAdapter;
}
