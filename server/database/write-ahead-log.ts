/** The file of a SQLite database's write-ahead log: syncs it without blocking the process, and measures its length. */
import { closeSync, fdatasync, openSync, read, readSync, write } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { syncPath } from '../atomic-write.ts';

/** Resolves once what was written to the file is on the disk. */
export type SyncFile = (descriptor: number) => Promise<void>;

export const syncFile: SyncFile = promisify(fdatasync);

const readBytes = promisify(read);
const writeBytes = promisify(write);

const rewrittenBytes = 1024 * 1024;

/** Sizes and positions of the log's header and of the header of each frame (sqlite.org/fileformat2.html#walformat). */
const format = { headerSize: 32, pageSizeAt: 8, saltsAt: 16, frameHeaderSize: 24, frameSaltsAt: 8 } as const;

/**
 * With `synchronous = normal`, SQLite syncs the log before a checkpoint but not after each commit; `full` does, and blocks
 * the process meanwhile. So a commit is on the disk once a `sync` that was called after it resolves. Closing this descriptor
 * releases no locks of SQLite, as POSIX would make it do for the database file, because SQLite has none on the log.
 */
export class WriteAheadLog {
  readonly #syncFile: SyncFile;
  readonly #descriptor: number;
  readonly #header = Buffer.alloc(format.headerSize);
  readonly #frameHeader = Buffer.alloc(format.frameHeaderSize);
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

  /**
   * Writes to the file what it has already, and syncs it. After a failed sync the system takes what it could not write for
   * written, and the next sync would succeed without it (wiki.postgresql.org/wiki/Fsync_Errors). The caller has SQLite's
   * write lock, so that nobody else writes to the log.
   */
  async rewrite(): Promise<void> {
    const chunk = Buffer.alloc(rewrittenBytes);
    for (let position = 0; ; ) {
      const { bytesRead } = await readBytes(this.#descriptor, chunk, 0, chunk.length, position);
      if (bytesRead === 0) break;
      const { bytesWritten } = await writeBytes(this.#descriptor, chunk, 0, bytesRead, position);
      position += bytesWritten;
    }
    await this.sync();
  }

  /** Whether the log has at least that many frames (changed pages). A new log overwrites the frames of the last one. */
  reaches(frames: number): boolean {
    if (readSync(this.#descriptor, this.#header, { position: 0 }) < format.headerSize) return false;
    const frameSize = format.frameHeaderSize + this.#header.readUInt32BE(format.pageSizeAt);
    const position = format.headerSize + (frames - 1) * frameSize;
    if (readSync(this.#descriptor, this.#frameHeader, { position }) < format.frameHeaderSize) return false;
    const { saltsAt, frameSaltsAt } = format;
    return this.#header.compare(this.#frameHeader, frameSaltsAt, frameSaltsAt + 8, saltsAt, saltsAt + 8) === 0;
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#descriptor);
    this.#isOpen = false;
  }
}
