/** The write-ahead log file of a SQLite database: syncs it without blocking the process, and measures its size. */
import { closeSync, fdatasync, fstatSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { syncPath } from '../atomic-write.ts';

/** Resolves once what was written to the file is on disk. */
export type SyncFile = (descriptor: number) => Promise<void>;

export const syncFile: SyncFile = promisify(fdatasync);

/**
 * With `synchronous = normal`, SQLite syncs the log before a checkpoint but not after each commit; `full` does, but
 * blocks the process meanwhile. So a commit is on disk once a `sync` called after it resolves. Closing this descriptor
 * does not release any of SQLite's locks, as POSIX would do for the database file, because SQLite holds none on the
 * log.
 */
export class WriteAheadLog {
  readonly #syncFile: SyncFile;
  readonly #descriptor: number;
  #isOpen = true;

  /** `path` is the path of the database file. An open connection keeps the log in place until `close`. */
  constructor(path: string, sync: SyncFile) {
    this.#syncFile = sync;
    this.#descriptor = openSync(`${path}-wal`, 'r+');
    // The log may have just been created.
    syncPath(dirname(path));
  }

  /** Resolves once everything that any process committed before is on disk. */
  sync(): Promise<void> {
    return this.#syncFile(this.#descriptor);
  }

  /** Size in bytes. A checkpoint that copies the whole log truncates it. */
  get size(): number {
    return fstatSync(this.#descriptor).size;
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#descriptor);
    this.#isOpen = false;
  }
}
