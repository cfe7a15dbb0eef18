/** Finds programs that a test needs and that may not be installed. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the first folder of the PATH, or of `more`, that has all of these programs; `undefined` if none has. */
export function findFolderOf(programs: readonly string[], more: readonly string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...more];
  return folders.find((folder) => programs.every((program) => existsSync(join(folder, program))));
}

/** Returns the path of the program; `undefined` if it is not installed. */
export function findProgram(name: string): string | undefined {
  const folder = findFolderOf([name], ['/usr/sbin']);
  return folder === undefined ? undefined : join(folder, name);
}
