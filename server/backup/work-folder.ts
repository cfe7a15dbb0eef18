/**
 * Private folders for working on unencrypted data. Those in the data folder each contain a file that its process has
 * locked. The lock ends with the process, so the folders of killed processes can be distinguished from those in use.
 */
import { existsSync, lstatSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { asOwnerOf } from '../act-as-owner.ts';
import { createFolder } from '../create-folder.ts';
import { namingFullDisk } from './full-disk.ts';

const prefix = '.work.';
const lockName = 'lock';
/** Exists once the lock is held: the lock file alone may be that of a process that is about to lock it. */
const lockedName = 'locked';
/** Maximum time that a process needs to lock the folder that it has created. */
const lockingMs = 60_000;

/**
 * Runs `work` with a new folder in the data folder, with mode 0700, and removes it when the work ends or the process
 * exits. Root has the rights of the data folder's owner meanwhile. Also removes what killed processes have left there.
 * Throws `BackupError` NO_SPACE if the disk is full.
 */
export function withWorkFolder<T>(dataFolder: string, work: (folder: string) => Promise<T>): Promise<T> {
  return namingFullDisk(dataFolder, () => {
    createFolder(dataFolder);
    return asOwnerOf(dataFolder, () => {
      removeAbandonedWork(dataFolder);
      return withTemporaryFolder(join(dataFolder, prefix), async (folder) => {
        using _lock = lockFolder(folder);
        writeFileSync(join(folder, lockedName), '', { flag: 'wx' });
        return await work(folder);
      });
    });
  });
}

/**
 * Runs `work` with a new folder that only its owner can read, and removes the folder when the work ends or the process
 * exits. The path is `start` plus six characters, so that files can be moved out of it on the same disk. Throws
 * `BackupError` NO_SPACE if that disk is full.
 */
export function withTemporaryFolder<T>(start: string, work: (folder: string) => Promise<T>): Promise<T> {
  return namingFullDisk(dirname(start), async () => {
    const folder = mkdtempSync(start);
    // Another process that looks whether the folder is abandoned may create its lock file again meanwhile.
    const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 1 });
    process.once('exit', remove);
    try {
      return await work(folder);
    } finally {
      process.off('exit', remove);
      remove();
    }
  });
}

/**
 * Removes the folders of processes that are gone. Root has the rights of the data folder's owner meanwhile. Folders of
 * other users are left: locking one could create a file wherever a link in it leads.
 */
export function removeAbandonedWork(dataFolder: string): void {
  const names = listNames(dataFolder).filter((name) => name.startsWith(prefix));
  if (names.length > 0) asOwnerOf(dataFolder, () => names.map((name) => removeIfAbandoned(join(dataFolder, name))));
}

function removeIfAbandoned(folder: string): void {
  try {
    if (isOwn(folder) && isAbandoned(folder)) rmSync(folder, { recursive: true, force: true });
  } catch {
    // Its process has just removed it.
  }
}

/** Ignores an unreadable folder, which is reported when the database in it is opened. */
function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isOwn(folder: string): boolean {
  // Windows has no user ids.
  return lstatSync(folder).uid === (process.geteuid?.() ?? 0);
}

function isAbandoned(folder: string): boolean {
  if (!existsSync(join(folder, lockedName))) return Date.now() - statSync(folder).mtimeMs > lockingMs;
  try {
    lockFolder(folder).close();
    return true;
  } catch {
    return false;
  }
}

/** Throws SQLite's error while another connection holds the lock, which lasts until that connection is closed. */
function lockFolder(folder: string): DatabaseSync {
  const lock = new DatabaseSync(join(folder, lockName), { timeout: 0 });
  try {
    lock.exec('begin exclusive');
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}
