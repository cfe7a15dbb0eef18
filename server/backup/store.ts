/** A database of either kind as a whole: what backup, restore and check do with it, and how they fail. */
import type { Dialect, Executor, Transaction } from '../database/database.ts';
import type { Inspection, InspectionInput } from './inspection.ts';

export type Location = { readonly database_file: string } | { readonly database_address: string };

export type StoreInspection = Inspection & {
  /** The size of the whole database, including its write-ahead log. */
  readonly bytes: number;
  /** Size of the write-ahead log, on SQLite. */
  readonly writeAheadLogBytes?: number;
};

export type Store = {
  readonly kind: Dialect;
  /** The location that reports name. */
  readonly location: Location;
  /** Throws `BackupError` NOT_FOUND if the database would be in a file that does not exist. */
  requireFile(): void;
  /**
   * Writes the currently committed data to a SQLite file at `path` without syncing it. Throws `BackupError` NOT_FOUND.
   */
  copyTo(path: string): Promise<void>;
  /** Runs `work` in a transaction, even while the server writes. */
  write(work: (transaction: Transaction) => Promise<void>): Promise<void>;
  /** Reads the whole database, even while the server writes to it. Throws `BackupError` NOT_FOUND. */
  inspect(input: InspectionInput): Promise<StoreInspection>;
  /**
   * Locks the database against every other process. Throws `BackupError` SERVER_RUNNING, and `StartError` if the role of
   * PostgreSQL lacks a privilege.
   */
  lock(): Promise<LockedStore>;
};

/** Disposing of it unlocks the database, and undoes changes that are not final. */
export type LockedStore = AsyncDisposable & {
  /** True if there is a database that a restore would replace. */
  readonly exists: boolean;
  /** Saves the current database into a folder that can be used as a data folder. */
  saveTo(folder: string): Promise<void>;
  /**
   * Atomically replaces the database with that of a SQLite file. Throws `StartError`, with nothing replaced, if the role
   * of PostgreSQL lacks a privilege.
   */
  replaceWith(path: string): Promise<void>;
  /**
   * Reads the current database, on PostgreSQL within a transaction. Throws `BackupError` NOT_FOUND, or OTHER_DATABASE
   * for a database of another program.
   */
  read<T>(work: (executor: Executor) => Promise<T>): Promise<T>;
  /**
   * Creates the database, which must not exist yet, in one transaction; `work` fills it, and may still throw. Throws
   * `StartError` if the role of PostgreSQL lacks a privilege.
   */
  fill(work: (transaction: Transaction) => Promise<void>): Promise<void>;
};

type BackupErrorCode =
  | 'NOT_FOUND'
  | 'FILE_EXISTS'
  | 'CHECK_FAILED'
  | 'BACKUP_DAMAGED'
  | 'FOREIGN_BACKUP'
  | 'KEY_REQUIRED'
  | 'WRONG_KEY'
  | 'NEWER_VERSION'
  | 'DEVELOPMENT_VERSION'
  | 'NO_SPACE'
  | 'OTHER_DATABASE'
  | 'SAME_DATABASE'
  | 'SERVER_RUNNING'
  | 'TARGET_NOT_EMPTY';

export class BackupError extends Error {
  override name = 'BackupError';
  readonly code: BackupErrorCode;

  constructor(code: BackupErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
