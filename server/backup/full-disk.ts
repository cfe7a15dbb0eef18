/** Names the folder whose disk is full, which the errors of the system and of SQLite leave out. */
import { isSqliteDiskFailure } from '../database/database-errors.ts';
import { codeOf } from '../errors.ts';
import { readFreeBytes } from './data-folder.ts';
import { BackupError } from './store.ts';

/** The size of a page of a database. */
const pageBytes = 4096;

/** Runs `work`, which writes below `folder`. Throws `BackupError` NO_SPACE once the disk of `folder` is full. */
export async function namingFullDisk<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isOutOfSpace(error, folder) ? createNoSpaceError(folder, error) : error;
  }
}

/** Returns the error that names the folder. */
export function createNoSpaceError(folder: string, cause?: unknown): BackupError {
  return new BackupError('NO_SPACE', `The disk of ${folder} is full: free some space there, and try again.`, { cause });
}

/** True for an error of the system that reports a full disk or a quota. */
export function isNoSpace(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(codeOf(error));
}

/** True if the disk of the folder has no space. */
export function isFull(folder: string): boolean {
  return readFreeBytes(folder) < pageBytes;
}

/** SQLite reports some writes to a full disk as I/O errors, and its error does not tell which disk it is about. */
function isOutOfSpace(error: unknown, folder: string): boolean {
  return isNoSpace(error) || (isSqliteDiskFailure(error) && isFull(folder));
}
