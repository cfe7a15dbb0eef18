/** Writes, removes and sets aside small files, so that they survive a crash. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/**
 * Replaces the file's content; after a crash the file has either the complete old or the complete new content. Once the
 * promise is fulfilled the new content is on disk. Only the owner can read the file, even in a folder that others can
 * write to. Rejects if it cannot be written, or if the path is not a regular file: a device would be replaced.
 */
export async function writeAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found !== null && !found.isFile()) throw new Error('not a regular file');
  const temporaryPath = join(dirname(path), `.${randomBytes(8).toString('hex')}.new`);
  // Never opens an existing file: neither another user's file nor the target of a link.
  const file = await open(temporaryPath, 'wx', 0o600);
  try {
    await writeAndClose(file, content);
    await retryWhileHeld(() => rename(temporaryPath, path));
  } catch (error) {
    await unlink(temporaryPath).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path));
}

const temporaryName = /^\.[0-9a-f]{16}\.new$/;

/**
 * Removes the leftovers of writes that a crash interrupted from a folder that no other process may write to. Never
 * rejects.
 */
export async function removeInterruptedWrites(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const leftOver = names.filter((name) => temporaryName.test(name));
  await Promise.all(leftOver.map((name) => unlink(join(folder, name)).catch(() => {})));
}

/** Delays between attempts, in ms: about two seconds in total. */
const retryDelaysMs = [10, 20, 50, 100, 200, 400, 600, 600];
const heldCodes: readonly unknown[] = ['EPERM', 'EACCES', 'EBUSY'];

export type Retrying = {
  readonly wait?: (ms: number) => Promise<unknown>;
  readonly platform?: NodeJS.Platform;
};

/**
 * Renames or removes a file. On Windows it retries for a while: an antivirus program may lock the file for a moment.
 */
export async function retryWhileHeld(change: () => Promise<void>, retrying: Retrying = {}): Promise<void> {
  const { wait = setTimeout, platform = process.platform } = retrying;
  for (const delayMs of platform === 'win32' ? retryDelaysMs : []) {
    try {
      return await change();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && heldCodes.includes(error.code))) throw error;
      await wait(delayMs);
    }
  }
  await change();
}

/** Removes the file durably; succeeds if there is none. */
export async function removeFile(path: string): Promise<void> {
  try {
    await retryWhileHeld(() => unlink(path));
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Renames an unreadable file to `NAME.unreadable-TIME`, so that it is not overwritten; succeeds if there is none. */
export async function quarantine(path: string, nowMs: number): Promise<void> {
  try {
    await retryWhileHeld(() => rename(path, unreadableName(path, nowMs)));
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Returns the name of a document or file that is set aside. */
export function unreadableName(name: string, nowMs: number): string {
  return `${name}.unreadable-${new Date(nowMs).toISOString().replace(/[:.]/g, '-')}`;
}

/** True if an error of `node:fs` means that there is no such file. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

const unsupportedCodes: readonly unknown[] = ['EINVAL', 'ENOTSUP'];

/**
 * Makes a rename or removal durable. Windows has no such call and needs none; some network file systems lack it too.
 */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && unsupportedCodes.includes(error.code))) throw error;
  } finally {
    await handle.close();
  }
}

async function writeAndClose(file: FileHandle, content: string | Uint8Array): Promise<void> {
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}
