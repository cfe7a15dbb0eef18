/** Small files that survive a crash: writing, removing and quarantining them. */
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/**
 * Replaces the file's content; after a crash it is either the old or the new content, complete. Once the promise is
 * fulfilled the new content is on the disk. Only the owner can read the file. Rejects if it cannot be written.
 */
export async function writeAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const temporaryPath = `${path}.new`;
  try {
    await withFile(temporaryPath, 'w', async (file) => {
      await file.writeFile(content);
      await file.sync();
    });
    await retryWhileHeld(() => rename(temporaryPath, path));
  } catch (error) {
    await unlink(temporaryPath).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path));
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

/** Makes a rename or a removal durable. Windows has no such call and needs none. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  await withFile(folder, 'r', (handle) => handle.sync());
}

async function withFile(path: string, flags: string, work: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    await work(file);
  } finally {
    await file.close();
  }
}
