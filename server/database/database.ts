/** What the services know of the database: reads that see committed data, and writes that are durable when they answer. */
import type { Kysely, Transaction as KyselyTransaction } from 'kysely';
import type { Tables } from './tables.ts';

/** Inside of a write. */
export type Transaction = KyselyTransaction<Tables>;

/** Where a query runs: `database.read`, or the transaction of a write. */
export type Executor = Kysely<Tables>;

export type Database = {
  readonly dialect: 'sqlite' | 'postgres';
  /** For reads only; sees what is committed. */
  readonly read: Executor;
  /**
   * Runs `work` in a transaction and resolves with its result once that is on the disk.
   * When `work` throws, its changes are undone and the error is passed on. Writes run one after the other;
   * those that arrive together share one commit. `work` does nothing but queries: whatever else it waits for, all wait for.
   * Throws `DatabaseUnavailable` when the database is locked, full or failing.
   */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Waits for the writes that were accepted, then closes. May be called again. */
  close(): Promise<void>;
};

/** The database is locked by another process, the disk is full or failing. Nothing was written. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super('the database cannot be used at the moment', { cause });
    this.name = 'DatabaseUnavailable';
  }
}
