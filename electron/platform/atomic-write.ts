/** Small files that survive a crash: writing, removing and quarantining them. */
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/**
 * Replaces the file's content; after a crash it is either the old or the new content, complete. Once the promise is
 * fulfilled the new content is on the disk. Only the owner can read the file, also in a folder that others can write to.
 * Rejects if it cannot be written, and where the path is no regular file: a device would be replaced.
 */
export async function writeAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found !== null && !found.isFile()) throw new Error('not a regular file');
  const temporaryPath = join(dirname(path), `.${randomBytes(8).toString('hex')}.new`);
  // Never what is there already: not a file of somebody else, and not where a link points to.
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

/** Removes what writes that a crash has interrupted left in the folder, in which no other process may write. Never rejects. */
export async function removeInterruptedWrites(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const leftOver = names.filter((name) => temporaryName.test(name));
  await Promise.all(leftOver.map((name) => unlink(join(folder, name)).catch(() => {})));
}

/** Between tries, in milliseconds: about two seconds in all. */
const retryDelaysMs = [10, 20, 50, 100, 200, 400, 600, 600];
const heldCodes: readonly unknown[] = ['EPERM', 'EACCES', 'EBUSY'];

export type Retrying = {
  readonly wait?: (ms: number) => Promise<unknown>;
  readonly platform?: NodeJS.Platform;
};

/** Renames or removes a file. On Windows it tries again for a while: an antivirus program may hold the file for a moment. */
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

/** Removes the file, durably; succeeds if there is none. */
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

/** The name under which something is kept aside. */
export function unreadableName(name: string, nowMs: number): string {
  return `${name}.unreadable-${new Date(nowMs).toISOString().replace(/[:.]/g, '-')}`;
}

/** Whether an error of `node:fs` means that there is no such file. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

const unsupportedCodes: readonly unknown[] = ['EINVAL', 'ENOTSUP'];

/** Makes a rename or a removal durable. Windows has no such call and needs none; some network file systems have none either. */
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
