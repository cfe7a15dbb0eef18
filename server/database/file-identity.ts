/**
 * Checks that a path still leads to the file that was opened. Writes to a file that was moved away or deleted succeed,
 * but are lost.
 */
import { statSync } from 'node:fs';
import { DatabaseUnavailable } from './database-errors.ts';

export class FileIdentity {
  readonly #files: readonly { readonly path: string; readonly device: number; readonly inode: number }[];

  /** Remembers the current files. Throws the system's error if one does not exist. */
  constructor(paths: readonly string[]) {
    this.#files = paths.map((path) => {
      const { dev, ino } = statSync(path);
      return { path, device: dev, inode: ino };
    });
  }

  /**
   * Checks the files, which takes a few microseconds. Throws `DatabaseUnavailable` if one has changed; putting the
   * original file back makes the check pass again.
   */
  requireUnchanged(): void {
    for (const { path, device, inode } of this.#files) {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found?.ino === inode && found.dev === device) continue;
      const what = found ? 'was replaced' : 'was moved away or deleted';
      throw new DatabaseUnavailable(
        new Error(`${path} ${what} while the server was using it: put it back, or restart the server`),
      );
    }
  }
}
