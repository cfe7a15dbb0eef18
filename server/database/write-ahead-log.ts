/** The file of a SQLite database's write-ahead log: syncs it without blocking the process, and measures its length. */
import { closeSync, fdatasync, fstatSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { syncPath } from '../atomic-write.ts';

/** Resolves once what was written to the file is on the disk. */
export type SyncFile = (descriptor: number) => Promise<void>;

export const syncFile: SyncFile = promisify(fdatasync);

/**
 * With `synchronous = normal`, SQLite syncs the log before a checkpoint but not after each commit; `full` does, and blocks
 * the process meanwhile. So a commit is on the disk once a `sync` that was called after it resolves. Closing this descriptor
 * releases no locks of SQLite, as POSIX would make it do for the database file, because SQLite has none on the log.
 */
export class WriteAheadLog {
  readonly #syncFile: SyncFile;
  readonly #descriptor: number;
  #isOpen = true;

  /** `path` is that of the database. An open connection keeps the log in place until `close`. */
  constructor(path: string, sync: SyncFile) {
    this.#syncFile = sync;
    this.#descriptor = openSync(`${path}-wal`, 'r+');
    // The log may have been created just now.
    syncPath(dirname(path));
  }

  /** Resolves once everything that any process has committed before is on the disk. */
  sync(): Promise<void> {
    return this.#syncFile(this.#descriptor);
  }

  /** The length in bytes. A checkpoint that copies the whole log truncates it. */
  get size(): number {
    return fstatSync(this.#descriptor).size;
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#descriptor);
    this.#isOpen = false;
  }
}
