/** The only connection of this process that writes to a SQLite database: runs transactions and syncs them to disk. */
import type { DatabaseSync } from 'node:sqlite';
import { CompiledQuery, Kysely } from 'kysely';
import { Checkpointer } from './checkpointer.ts';
import type { Transaction } from './database.ts';
import { DatabaseUnavailable } from './database-errors.ts';
import { FileIdentity } from './file-identity.ts';
import { NodeSqliteDialect } from './sqlite-driver.ts';
import type { Tables } from './tables.ts';
import { type SyncFile, WriteAheadLog } from './write-ahead-log.ts';

export const defaultCheckpointBytes = 16 * 1024 * 1024;
/** 128 MiB. If checkpoints fail, SQLite itself tries one after each commit once the log has this many pages. */
const fallbackPages = 32_768;

const savepoint = CompiledQuery.raw('savepoint job');
const rollbackToSavepoint = CompiledQuery.raw('rollback to job');
const releaseSavepoint = CompiledQuery.raw('release job');

export type SqliteWriterDeps = {
  readonly connection: DatabaseSync;
  /** Path of the database file. */
  readonly path: string;
  readonly sync: SyncFile;
  /** Size of the log, in bytes, at which a checkpoint starts. */
  readonly checkpointBytes: number;
  /** Must end the process. Writes are refused until it does. */
  readonly onSyncFailed: (error: unknown) => void;
};

export class SqliteWriter {
  readonly #deps: SqliteWriterDeps;
  readonly #kysely: Kysely<Tables>;
  readonly #files: FileIdentity;
  readonly #log: WriteAheadLog;
  readonly #checkpointer: Checkpointer;
  /** After a failed checkpoint, the next one is tried once the log has grown by `checkpointBytes` again. */
  #checkpointAtBytes: number;
  #failure: DatabaseUnavailable | undefined;

  constructor(deps: SqliteWriterDeps) {
    const { connection, path, sync, checkpointBytes } = deps;
    this.#deps = deps;
    this.#checkpointAtBytes = checkpointBytes;
    // If an earlier process ended because a sync failed, its log may not be on disk. This copies the log into the
    // database.
    connection.exec('pragma synchronous = normal; pragma wal_checkpoint(passive)');
    connection.exec(`pragma wal_autocheckpoint = ${fallbackPages}`);
    // A new log gives back the space of the old one, also if it was SQLite that copied that into the database.
    connection.exec('pragma journal_size_limit = 0');
    // A savepoint copies each page that its statements change. Beyond 64 KiB, SQLite would write the copies to a
    // temporary file: an insert then takes 15 instead of 5 µs.
    connection.exec('pragma temp_store = memory');
    this.#kysely = new Kysely<Tables>({ dialect: new NodeSqliteDialect(connection, 'write') });
    this.#files = new FileIdentity([path, `${path}-wal`]);
    this.#log = new WriteAheadLog(path, sync);
    this.#checkpointer = new Checkpointer(path);
  }

  /**
   * Runs `work` in a transaction and commits it, which makes it visible to others; it is on disk only after `sync`.
   * Rolls back if `work` throws. Takes SQLite's write lock first, and throws an error that `isLockHeld` recognizes if
   * another process holds it.
   */
  async transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    this.#files.requireUnchanged();
    if (this.#failure) throw this.#failure;
    return await this.#kysely.transaction().execute(work);
  }

  /** Runs `work` within the transaction. If it throws, only its own changes are rolled back. */
  async attempt<T>(transaction: Transaction, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    await transaction.executeQuery(savepoint);
    try {
      return await work(transaction);
    } catch (error) {
      // The whole transaction may be lost; then there is no savepoint to roll back to.
      if (!(error instanceof DatabaseUnavailable)) await transaction.executeQuery(rollbackToSavepoint);
      throw error;
    } finally {
      if (this.#deps.connection.isTransaction) await transaction.executeQuery(releaseSavepoint);
    }
  }

  /**
   * Resolves once everything committed before is on disk. After a failed sync, the system treats what it could not
   * write as written, and the next sync would succeed without it (wiki.postgresql.org/wiki/Fsync_Errors). So the
   * process ends, as PostgreSQL does, and the next start copies the whole log into the database before it serves
   * requests.
   */
  async sync(): Promise<void> {
    try {
      await this.#log.sync();
    } catch (error) {
      this.#failure = new DatabaseUnavailable(error);
      this.#deps.onSyncFailed(error);
      throw this.#failure;
    }
    // A commit to a file that was replaced must not be acknowledged.
    this.#files.requireUnchanged();
    if (this.#checkpointer.isRunning) return;
    const { size } = this.#log;
    const { checkpointBytes } = this.#deps;
    if (size < checkpointBytes) this.#checkpointAtBytes = checkpointBytes;
    if (size < this.#checkpointAtBytes) return;
    const tryLater = () => {
      this.#checkpointAtBytes = size + checkpointBytes;
    };
    this.#checkpointer.run().then((isComplete) => isComplete || tryLater(), tryLater);
  }

  /** Waits for a running checkpoint. Close the connection afterwards, which makes the last checkpoint. */
  async close(): Promise<void> {
    await this.#checkpointer.close();
    this.#log.close();
  }
}
