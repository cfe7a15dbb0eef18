/** The store in a SQLite file, and the lock that keeps every other process from using it. */
import { constants, copyFileSync, existsSync, linkSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { giveToOwnerOf, moveToNewFile, replaceFile, syncPath } from '../atomic-write.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { isSqliteError } from '../database/database-errors.ts';
import { readSqliteSizes } from '../database/database-info.ts';
import { requireWritable } from '../database/sqlite-database.ts';
import { NodeSqliteDialect } from '../database/sqlite-driver.ts';
import type { Tables } from '../database/tables.ts';
import { beginsWith } from './file-heading.ts';
import { type InspectionInput, inspectSqlite } from './inspection.ts';
import { fillSqliteFile, writeSqliteFile } from './sqlite-file.ts';
import { BackupError, type LockedStore, type Store, type StoreInspection } from './store.ts';
import { withWorkFolder } from './work-folder.ts';

const copyLockTimeoutMs = 10_000;
const exclusiveLockTimeoutMs = 1000;

export class SqliteStore implements Store {
  readonly kind = 'sqlite';
  readonly location: { readonly database_file: string };
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    this.location = { database_file: path };
  }

  /** Reads without blocking writers. `VACUUM INTO` requires an empty file, and by default syncs it. */
  async copyTo(path: string): Promise<void> {
    this.requireFile();
    writeFileSync(path, '', { mode: 0o600 });
    using connection = new DatabaseSync(this.#path, { readOnly: true, timeout: copyLockTimeoutMs });
    connection.exec('pragma synchronous = off');
    connection.prepare('vacuum into ?').run(path);
  }

  async inspect(input: InspectionInput): Promise<StoreInspection> {
    this.requireFile();
    const found = await inspectSqlite(this.#path, input);
    return { ...found, ...(readSqliteSizes(this.#path) ?? { bytes: 0 }) };
  }

  write(work: (transaction: Transaction) => Promise<void>): Promise<void> {
    return writeSqliteFile(this.#path, work);
  }

  async lock(): Promise<LockedStore> {
    return new LockedSqliteStore(this.#path);
  }

  requireFile(): void {
    if (!existsSync(this.#path))
      throw new BackupError(
        'NOT_FOUND',
        `There is no database at ${this.#path}: set LATCHKEY_DATA or DATABASE_URL, as for the server.`,
      );
  }
}

class LockedSqliteStore implements LockedStore {
  readonly exists: boolean;
  readonly #path: string;
  readonly #logs: readonly string[];
  readonly #lock: DatabaseSync | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#logs = [`${path}-wal`, `${path}-journal`];
    this.#lock = lockFile(path);
    this.exists = existsSync(path);
  }

  async saveTo(folder: string): Promise<void> {
    this.#moveLogIntoFile();
    const files = [this.#path, ...this.#logs].filter((name) => existsSync(name));
    for (const file of files) this.#linkOrCopy(file, join(folder, basename(file)));
  }

  /** Keeps the lock until the new file is in place, except on Windows, which cannot replace an open file. */
  async replaceWith(path: string): Promise<void> {
    this.#moveLogIntoFile();
    if (process.platform === 'win32') this.#unlock();
    // A leftover log would be applied to the restored database.
    for (const log of [...this.#logs, `${this.#path}-shm`]) rmSync(log, { force: true });
    giveToOwnerOf(this.exists ? this.#path : dirname(this.#path), path);
    replaceFile(path, this.#path);
  }

  async read<T>(work: (executor: Executor) => Promise<T>): Promise<T> {
    if (!this.#lock) throw new BackupError('NOT_FOUND', `There is no sound database at ${this.#path}.`);
    return work(new Kysely<Tables>({ dialect: new NodeSqliteDialect(this.#lock) }));
  }

  /** Creates the database. A file that another process creates meanwhile is not replaced. */
  async fill(work: (transaction: Transaction) => Promise<void>): Promise<void> {
    await withWorkFolder(dirname(this.#path), async (folder) => {
      const path = join(folder, basename(this.#path));
      await fillSqliteFile(path, work);
      giveToOwnerOf(dirname(this.#path), path);
      moveToNewFile(path, this.#path);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unlock();
  }

  /** Moves everything into the database file. After that the lock has no side files that closing would delete. */
  #moveLogIntoFile(): void {
    if (!this.#lock) return;
    try {
      this.#lock.exec('pragma journal_mode = delete; begin exclusive; commit; pragma journal_mode = off;');
      // An exclusive lock leaves an empty journal.
      for (const log of this.#logs) rmSync(log, { force: true });
    } catch {
      // A damaged database may be the reason for the restore. Its log is saved with it.
    }
  }

  /** Prefers a hard link, which takes no space and no time but is not supported by every file system. */
  #linkOrCopy(from: string, to: string): void {
    try {
      linkSync(from, to);
    } catch {
      this.#copy(from, to);
    }
  }

  /** Lets SQLite copy the locked database: opening and closing the file would release this process's lock (POSIX). */
  #copy(from: string, to: string): void {
    if (from === this.#path && this.#lock?.isOpen) this.#lock.prepare('vacuum into ?').run(to);
    else copyFileSync(from, to, constants.COPYFILE_FICLONE);
    syncPath(to);
  }

  #unlock(): void {
    if (this.#lock?.isOpen) this.#lock.close();
  }
}

/**
 * Locks the file until the returned connection is closed. Throws `BackupError` SERVER_RUNNING if it is in use, and
 * `StartError` if it cannot be written to. Returns `undefined` for a file that does not exist or is not a sound database,
 * which nothing can be using.
 */
function lockFile(path: string): DatabaseSync | undefined {
  if (!existsSync(path)) return undefined;
  requireWritable(path);
  // Looked at first, because SQLite itself would remove the logs of a file that it cannot read.
  if (!beginsWith(path, 'SQLite format 3\0')) return undefined;
  const connection = new DatabaseSync(path, { timeout: exclusiveLockTimeoutMs });
  try {
    // Every user of a database in WAL mode holds a shared lock on the file, from its first query until it closes.
    connection.exec('pragma locking_mode = exclusive; begin exclusive; commit;');
    return connection;
  } catch (error) {
    connection.close();
    if (isSqliteError(error, 'notADatabase') || isSqliteError(error, 'corrupt')) return undefined;
    if (!isSqliteError(error, 'busy')) throw error;
    throw new BackupError('SERVER_RUNNING', `The server, or another command, uses ${path}: stop it first.`);
  }
}
