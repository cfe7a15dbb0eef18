/** Whether a path still leads to the file that was opened: a file that was moved away or deleted can be written to, in vain. */
import { statSync } from 'node:fs';
import { DatabaseUnavailable } from './database-errors.ts';

export class FileIdentity {
  readonly #files: readonly { readonly path: string; readonly device: number; readonly inode: number }[];

  /** The files that are there now. Throws the system's error if one is not. */
  constructor(paths: readonly string[]) {
    this.#files = paths.map((path) => {
      const { dev, ino } = statSync(path);
      return { path, device: dev, inode: ino };
    });
  }

  /** Takes a few microseconds. Throws `DatabaseUnavailable`; a file that is put back is the same again. */
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
