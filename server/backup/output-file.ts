/** The output file of a command: moved into place once it is complete, and replacing another file only on request. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { asCaller, isActingAsOwner } from '../act-as-owner.ts';
import { moveToNewFile, openFile, replaceFile } from '../atomic-write.ts';
import { codeOf } from '../errors.ts';
import { createNoSpaceError, isNoSpace } from './full-disk.ts';
import { BackupError } from './store.ts';

export type OutputFile = {
  /** Absolute path. */
  readonly file: string;
  /** True if an existing file may be replaced. */
  readonly force: boolean;
};

/**
 * Throws `BackupError` FILE_EXISTS for an existing file without `force` and for a folder or device, and NOT_FOUND if
 * the parent folder is missing.
 */
export function requireOutput({ file, force }: OutputFile): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw new BackupError('FILE_EXISTS', `${file} is a folder: name a file in it.`);
  if (found?.isFile() === false) throw new BackupError('FILE_EXISTS', `${file} is a device: name a regular file.`);
  if (existsSync(file) && !force) {
    throw new BackupError('FILE_EXISTS', `${file} exists already: name another file, or use --force to replace it.`);
  }
  if (!existsSync(dirname(file))) throw new BackupError('NOT_FOUND', `There is no folder ${dirname(file)}.`);
}

/**
 * Moves a finished file into place, with mode 0600. From another disk it is copied first, and moved once the copy is
 * complete; so it is if root, the caller, has the rights of another user, since it must not move what that user may have
 * exchanged. Calling `requireOutput` at the start is not enough, since another process may have created the file
 * meanwhile. Throws `BackupError` FILE_EXISTS, and NO_SPACE if the disk of the output is full.
 */
export function moveToOutput(from: string, output: OutputFile): void {
  if (isActingAsOwner()) copyToOutput(from, output);
  else move(from, output);
}

function move(from: string, output: OutputFile): void {
  try {
    place(from, output);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EXDEV') copyToOutput(from, output);
    else if (code === 'EEXIST') throw new BackupError('FILE_EXISTS', `${output.file} exists already.`);
    else throw error;
  }
}

function place(from: string, { file, force }: OutputFile): void {
  if (force) replaceFile(from, file);
  else moveToNewFile(from, file);
}

function copyToOutput(from: string, output: OutputFile): void {
  using source = openFile(from, 'r');
  asCaller(() => copyFrom(source.descriptor, output));
}

/**
 * Returns a new path beside the output, and removes what killed processes have left of such copies. It is not in a new
 * folder, which another user with access to the parent could exchange for a link to one of root's.
 */
export function newCopyPath({ file }: OutputFile): string {
  const [folder, name] = [dirname(file), basename(file)];
  removeInterruptedCopies(folder, (other) => other === name, copyStepMs);
  return join(folder, `.${name}.${randomBytes(3).toString('hex')}`);
}

function copyFrom(source: number, output: OutputFile): void {
  const copy = newCopyPath(output);
  try {
    copyContent(source, copy);
    move(copy, output);
  } catch (error) {
    throw isNoSpace(error) ? createNoSpaceError(dirname(copy), error) : error;
  } finally {
    rmSync(copy, { force: true });
  }
}

function copyContent(source: number, to: string): void {
  using target = openFile(to, 'wx', 0o600);
  const part = Buffer.allocUnsafe(copiedAtOnce);
  for (let length = readSync(source, part); length > 0; length = readSync(source, part)) {
    for (let at = 0; at < length; ) at += writeSync(target.descriptor, part, at, length - at);
  }
}

const copiedAtOnce = 1024 * 1024;

/** A copy in progress changes all the time; one that has not changed for this long was interrupted. */
const copyStepMs = 10 * 60_000;

/**
 * Removes what killed processes left of their copies of the files with these names; with `idleMs` only copies that have
 * not changed for that long. Without it, no such copy may be in progress.
 */
export function removeInterruptedCopies(
  folder: string,
  isOf: (name: string) => boolean,
  idleMs = Number.NEGATIVE_INFINITY,
): void {
  for (const entry of readdirSync(folder)) {
    const name = /^\.(.+)\.[0-9a-f]{6}$/.exec(entry)?.[1];
    if (name === undefined || !isOf(name)) continue;
    const copy = join(folder, entry);
    const changedAtMs = statSync(copy, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - changedAtMs > idleMs) rmSync(copy, { force: true });
  }
}
