/**
 * File operations that a power failure leaves either undone or complete, because the file and its folder are synced.
 * Root may run them in a folder of the server's user, who knows the names of temporary files: what is already there is
 * removed or refused, and never written through.
 */
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lutimesSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { asOwnerOf } from './act-as-owner.ts';
import { createFolder } from './create-folder.ts';
import { codeOf } from './errors.ts';

/**
 * Creates the file with mode 0600, and never overwrites an existing one: `fill` writes a temporary file, which is then
 * linked into place. If several processes create it at the same time, the first one wins and the others return as if
 * they had created it.
 */
export function createFileAtomically(path: string, fill: (temporaryPath: string) => void): void {
  createFolder(dirname(path));
  asOwnerOf(dirname(path), () => createAndFill(path, fill));
}

function createAndFill(path: string, fill: (temporaryPath: string) => void): void {
  const temporaryPath = temporaryPathFor(path);
  rmSync(temporaryPath, { force: true });
  closeSync(openSync(temporaryPath, 'wx', 0o600));
  try {
    fill(temporaryPath);
    giveToOwnerOf(dirname(path), temporaryPath);
    syncPath(temporaryPath);
    linkSync(temporaryPath, path);
  } catch (error) {
    if (!existsSync(path)) throw error;
  } finally {
    rmSync(temporaryPath, { force: true });
  }
  syncPath(dirname(path));
}

/**
 * When root runs a command, gives a file or folder that it has created to the owner of `like`, because the server runs as
 * that user. Some network file systems and containers do not allow that; root keeps it there. The user, who can write to
 * that folder, may have put a link to another file in its place: links are left alone.
 */
export function giveToOwnerOf(like: string, path: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(like);
  try {
    using file = openFile(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(file.descriptor);
    if (stats.isDirectory() || (stats.isFile() && stats.nlink === 1)) fchownSync(file.descriptor, uid, gid);
  } catch {
    // The server names the file and what to do when it cannot read it.
  }
}

/** Sets the mode 0600 and syncs the file. Throws if it is a link. */
function makePrivate(path: string): void {
  // Windows has no O_NOFOLLOW, but only administrators can create links there.
  using file = openFile(path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0));
  fchmodSync(file.descriptor, 0o600);
  fsyncSync(file.descriptor);
}

/** Moves a finished file to `to`, with mode 0600, replacing any file there. Both paths must be on the same disk. */
export function replaceFile(from: string, to: string): void {
  makePrivate(from);
  renameSync(from, to);
  syncPath(dirname(to));
}

/** Like `replaceFile`, but replaces nothing: throws the system's EEXIST error if the file exists. */
export function moveToNewFile(from: string, to: string): void {
  makePrivate(from);
  linkSync(from, to);
  unlinkSync(from);
  syncPath(dirname(to));
}

/**
 * Like `replaceFile`, but writes the new file first, with this modification time. Only one process may do so at a time:
 * a killed one leaves `TO.new`, which the next one replaces.
 */
export function replaceFileWith(content: Buffer, mtime: Date, to: string): void {
  const temporaryPath = `${to}.new`;
  rmSync(temporaryPath, { force: true });
  writeFileSync(temporaryPath, content, { mode: 0o600, flag: 'wx' });
  lutimesSync(temporaryPath, mtime, mtime);
  replaceFile(temporaryPath, to);
}

const unsupportedCodes: readonly string[] = ['EINVAL', 'ENOTSUP'];

/**
 * Waits until a file's content, or the entries of a folder, are on disk. Folders cannot be synced on Windows and on
 * some network file systems, where SQLite continues without it too.
 */
export function syncPath(path: string): void {
  const isFolder = statSync(path).isDirectory();
  if (isFolder && process.platform === 'win32') return;
  // Windows syncs a file only if it is open for writing.
  using file = openFile(path, isFolder ? 'r' : 'r+');
  try {
    fsyncSync(file.descriptor);
  } catch (error) {
    if (!isFolder || !unsupportedCodes.includes(codeOf(error))) throw error;
  }
}

/** Opens a file or folder until the end of the scope: `using file = openFile(…)`. */
export function openFile(path: string, flags: string | number, mode?: number) {
  const descriptor = openSync(path, flags, mode);
  return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
}

/** Returns a text that changes whenever the file is replaced; empty if there is no file. */
export function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs}` : '';
}

function temporaryPathFor(path: string): string {
  return `${path}.${process.pid}.new`;
}
