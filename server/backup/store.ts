/** A database as a whole, of either kind: what backup, restore and check do with it, and why they fail. */
import type { Head } from '../audit/audit-chain.rules.ts';
import type { Executor, Transaction } from '../database/database.ts';
import type { Dialect } from '../database/dialect.ts';
import type { FullInspection } from './inspection.ts';

export type Location = { readonly database_file: string } | { readonly database_address: string };

/** A database whose rows are read; PostgreSQL's within a transaction. */
export type Source = { readonly executor: Executor; readonly dialect: Dialect };

/** A database that is filled, all of it in one transaction. */
export type Target = { readonly transaction: Transaction; readonly dialect: Dialect };

export type StoreInspection = FullInspection & {
  /** Of the whole database, with its write-ahead log. */
  readonly bytes: number;
  /** On SQLite alone. */
  readonly writeAheadLogBytes?: number;
};

export type Store = {
  readonly kind: Dialect;
  /** Where it is, for reports. */
  readonly location: Location;
  /** Writes what is committed now into a SQLite file at `path`, and does not sync it. Throws `BackupError` NOT_FOUND. */
  copyTo(path: string): Promise<void>;
  /** Runs `work` in a transaction, also while the server writes. */
  write(work: (transaction: Transaction) => Promise<void>): Promise<void>;
  /** Reads all of it, also while the server writes to it; `remembered` as of `verifyAuditLog`. Throws `BackupError` NOT_FOUND. */
  inspect(secretsFile: string, remembered?: Head): Promise<StoreInspection>;
  /** Locks it against every other process. Throws `BackupError` SERVER_RUNNING. */
  lock(): Promise<LockedStore>;
};

export type LockedStore = {
  /** Whether there is a database that a restore would replace. */
  readonly exists: boolean;
  /** Saves the present database into a folder, usable from there as the database of a data folder. */
  saveTo(folder: string): Promise<void>;
  /** Replaces the database by that of a SQLite file, in one step: afterwards it is the new one, or still the old one. */
  replaceWith(path: string): Promise<void>;
  /** Reads the present database. Throws `BackupError` NOT_FOUND, or OTHER_DATABASE for that of another program. */
  read<T>(work: (source: Source) => Promise<T>): Promise<T>;
  /** Creates the database where there is none, in one step: `work` fills it, and may still throw. */
  fill(work: (target: Target) => Promise<void>): Promise<void>;
  /** Unlocks it, and undoes what is not final. */
  release(): Promise<void>;
};

export type BackupErrorCode =
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
  readonly code: BackupErrorCode;

  constructor(code: BackupErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BackupError';
    this.code = code;
  }
}
