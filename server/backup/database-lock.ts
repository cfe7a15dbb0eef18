/** Holds a SQLite file so that no other process can use it: while the server or a command has it open, it cannot be held. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isNotSqlite, isSqliteBusy, isSqliteCorrupt } from '../database/database-errors.ts';
import { BackupError } from './backup-error.ts';

export type DatabaseLock = {
  /** Moves what the write-ahead log holds into the file itself, so that the file alone is the whole database. */
  gather(): void;
  release(): void;
};

const noLock: DatabaseLock = { gather() {}, release() {} };

/**
 * Throws `BackupError` SERVER_RUNNING when someone has the file open.
 * A file that is not there, or is no sound database any more, is in nobody's use.
 */
export function lockDatabase(path: string): DatabaseLock {
  if (!isSqliteFile(path)) return noLock;
  const connection = new DatabaseSync(path, { timeout: 1000 });
  try {
    // Every user of a database in WAL mode keeps a shared lock on the file, from its first query until it closes.
    connection.exec('pragma locking_mode = exclusive; begin exclusive; commit;');
  } catch (error) {
    connection.close();
    if (isNotSqlite(error) || isSqliteCorrupt(error)) return noLock;
    if (!isSqliteBusy(error)) throw error;
    throw new BackupError('SERVER_RUNNING', `The server, or another command, uses ${path}: stop it first.`);
  }
  return {
    gather() {
      try {
        connection.exec('pragma journal_mode = delete');
      } catch {
        // A damaged database, perhaps the reason for the restore: its log is kept with it.
      }
    },
    release: () => {
      if (connection.isOpen) connection.close();
    },
  };
}

/** Told by its first bytes: SQLite itself would tidy up beside a file that it cannot read. */
function isSqliteFile(path: string): boolean {
  if (!existsSync(path)) return false;
  const heading = Buffer.alloc(16);
  const descriptor = openSync(path, 'r');
  readSync(descriptor, heading);
  closeSync(descriptor);
  return heading.toString('latin1') === 'SQLite format 3\0';
}
