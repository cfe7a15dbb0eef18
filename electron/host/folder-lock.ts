/** Locks a folder for one process. The system releases the lock when that process ends, however it ends. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createFolder } from '../platform/create-folder.ts';

/** Held until the process ends, as long as the object is referenced. */
export type FolderLock = Pick<DatabaseSync, 'close'>;

type FolderLockOptions = {
  /** Programs with different names do not exclude each other. */
  readonly name: string;
  /** How long to wait for a process that holds the lock and may be about to end. */
  readonly timeoutMs: number;
};

const sqliteBusy = 5;

/**
 * Creates the folder if needed; returns `null` if another process holds the lock. Throws if the folder is not writable.
 */
export function lockFolder(folder: string, { name, timeoutMs }: FolderLockOptions): FolderLock | null {
  createFolder(folder);
  accessSync(folder, constants.W_OK | constants.X_OK);
  // A database only because SQLite's locks work on every system; it stays empty.
  const database = new DatabaseSync(join(folder, `${name}.lock`), { timeout: timeoutMs });
  try {
    database.exec('pragma journal_mode = off; begin exclusive');
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return null;
    throw error;
  }
}
