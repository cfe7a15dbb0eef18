/** The file that a command writes: it is moved into place when it is complete, and replaces another one only if asked to. */
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { moveToNewFile, replaceFile } from '../atomic-write.ts';
import { BackupError } from './store.ts';

export type OutputFile = {
  /** The absolute path. */
  readonly file: string;
  /** Whether an existing file is replaced. */
  readonly force: boolean;
};

/** Throws `BackupError` FILE_EXISTS without `force` and for a folder, NOT_FOUND if the folder of the file is missing. */
export function requireOutput({ file, force }: OutputFile): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new BackupError('FILE_EXISTS', `${file} is a folder: name a file in it.`);
  }
  if (existsSync(file) && !force) {
    throw new BackupError('FILE_EXISTS', `${file} exists already: name another file, or use --force to replace it.`);
  }
  if (!existsSync(dirname(file))) throw new BackupError('NOT_FOUND', `There is no folder ${dirname(file)}.`);
}

/**
 * Moves a finished file from a folder on the same disk into place, with mode 0600. `requireOutput` at the start is not
 * enough: another process may have created the file meanwhile. Throws `BackupError` FILE_EXISTS.
 */
export function moveToOutput(from: string, { file, force }: OutputFile): void {
  try {
    if (force) replaceFile(from, file);
    else moveToNewFile(from, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new BackupError('FILE_EXISTS', `${file} exists already.`);
  }
}
