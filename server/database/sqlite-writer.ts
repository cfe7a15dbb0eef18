/** The one connection of this process that writes to a SQLite database: transactions, and when they are on the disk. */
import type { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { Checkpointer } from './checkpointer.ts';
import type { Transaction } from './database.ts';
import { DatabaseUnavailable, isUnavailable } from './database-errors.ts';
import { NodeSqliteDialect, type SqliteStatementAdapter } from './sqlite-driver.ts';
import type { Tables } from './tables.ts';
import { type SyncFile, WriteAheadLog } from './write-ahead-log.ts';

/** 16 MiB. */
export const defaultCheckpointFrames = 4096;
/** Where checkpoints do not work, SQLite itself tries one after each commit from this length on: 128 MiB. */
const fallbackFrames = 32_768;

export type SqliteWriterDeps = {
  readonly connection: DatabaseSync;
  /** That of the database. */
  readonly path: string;
  readonly sync: SyncFile;
  /** So many frames in the log start a checkpoint. */
  readonly checkpointFrames: number;
};

export class SqliteWriter {
  readonly #connection: DatabaseSync;
  readonly #statements: SqliteStatementAdapter;
  readonly #transaction: Transaction;
  readonly #log: WriteAheadLog;
  readonly #checkpointer: Checkpointer;
  readonly #checkpointFrames: number;
  #checkpointAtFrames: number;
  /** Whether a sync has failed since the last complete checkpoint: what it did not sync may look synced to the next one. */
  #isInDoubt = false;

  constructor({ connection, path, sync, checkpointFrames }: SqliteWriterDeps) {
    this.#connection = connection;
    this.#checkpointFrames = checkpointFrames;
    this.#checkpointAtFrames = checkpointFrames;
    connection.exec(`pragma synchronous = normal; pragma wal_autocheckpoint = ${fallbackFrames}`);
    const kysely = new Kysely<Tables>({ dialect: new NodeSqliteDialect(connection, 'write') });
    // The same for all transactions, since there is one at a time. Kysely would make an object with its own executor for each.
    this.#transaction = kysely as unknown as Transaction;
    this.#statements = kysely.getExecutor().adapter as SqliteStatementAdapter;
    this.#log = new WriteAheadLog(path, sync);
    this.#checkpointer = new Checkpointer(path);
  }

  /**
   * Runs `work` in a transaction and commits it, visible to everybody and on the disk after `sync`. Undoes it when `work`
   * throws. Takes the lock of all writers first: throws what `isLockHeld` recognizes where another process has it.
   */
  async transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    if (this.#isInDoubt) await this.#proveDurability();
    this.#run('begin immediate');
    try {
      const result = await work(this.#transaction);
      this.#run('commit');
      return result;
    } catch (error) {
      // SQLite rolls back by itself after some errors (disk full, I/O).
      if (this.#connection.isTransaction) this.#run('rollback');
      throw error;
    }
  }

  /** Runs `work` within the transaction. When it throws, only its own changes are undone. */
  async attempt<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    this.#run('savepoint job');
    try {
      return await work(this.#transaction);
    } catch (error) {
      // The whole transaction may be lost, and then there is no savepoint to roll back to.
      if (!isUnavailable(error)) this.#run('rollback to job');
      throw error;
    } finally {
      if (this.#connection.isTransaction) this.#run('release job');
    }
  }

  /** Resolves once everything that was committed before is on the disk. Throws `DatabaseUnavailable`. */
  async sync(): Promise<void> {
    try {
      await this.#log.sync();
    } catch (error) {
      this.#isInDoubt = true;
      throw new DatabaseUnavailable(error);
    }
    if (this.#checkpointer.isRunning || !this.#log.reaches(this.#checkpointAtFrames)) return;
    // A failed one is tried again when the log has grown by as much.
    const failed = () => {
      this.#checkpointAtFrames += this.#checkpointFrames;
    };
    this.#checkpoint().catch(failed);
  }

  /** Waits for a checkpoint that runs. The connection is closed afterwards, which makes the last one. */
  async close(): Promise<void> {
    await this.#checkpointer.close();
    this.#log.close();
  }

  async #proveDurability(): Promise<void> {
    try {
      await this.#checkpoint();
      this.#isInDoubt = false;
    } catch (error) {
      throw new DatabaseUnavailable(error);
    }
  }

  async #checkpoint(): Promise<void> {
    if (!(await this.#checkpointer.run())) throw new Error('the log could not be copied completely');
    this.#checkpointAtFrames = this.#checkpointFrames;
  }

  #run(sql: string): void {
    this.#statements.prepare(sql).run([]);
  }
}
