/** Refuses a file with a secret that other users of the machine can read or replace, and names the command that mends it. */
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StartError } from './errors.ts';

const groupOrOthers = 0o077;
const others = 0o007;
const writableByGroupOrOthers = 0o022;
const sticky = 0o1000;

/** For a file that only the server reads. It may not exist yet. Throws `StartError`. */
export function requirePrivateFile(path: string): void {
  // Windows has no modes.
  if (process.platform === 'win32') return;
  const folder = dirname(path);
  const folderMode = modeOf(folder);
  // In a folder such as /tmp only the owner of a file can replace it.
  if ((folderMode & writableByGroupOrOthers) !== 0 && (folderMode & sticky) === 0) {
    throw new StartError(
      `other users can replace ${path}, because its folder has mode ${format(folderMode)}: run "chmod go-w ${quote(folder)}"`,
    );
  }
  const mode = modeOf(path);
  if ((mode & groupOrOthers) !== 0) {
    throw new StartError(
      `other users can read or change ${path} (mode ${format(mode)}): run "chmod 600 ${quote(path)}"`,
    );
  }
}

/** For a file that a group of programs may share, such as the key of a certificate. Throws `StartError`. */
export function requireNotPublicFile(path: string): void {
  if (process.platform === 'win32') return;
  const mode = modeOf(path);
  if ((mode & others) === 0) return;
  throw new StartError(
    `every user can read or change ${path} (mode ${format(mode)}): run "chmod o-rwx ${quote(path)}"`,
  );
}

/** 0 for what does not exist. */
function modeOf(path: string): number {
  return existsSync(path) ? statSync(path).mode & 0o7777 : 0;
}

function format(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

/** For a POSIX shell. */
function quote(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
