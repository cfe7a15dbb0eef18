/** Writes a small file so that after a crash either the old content or the new one is there, whole. */
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes beside, syncs, renames, and syncs the folder; the file is its owner's alone. */
export async function writeDurably(path: string, content: string | Uint8Array): Promise<void> {
  const beside = `${path}.new`;
  try {
    await withFile(beside, 'w', async (file) => {
      await file.writeFile(content);
      await file.sync();
    });
    await rename(beside, path);
  } catch (error) {
    await unlink(beside).catch(() => {});
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Makes a removal or a renaming in the folder last; Windows has no such call and needs none. */
export async function syncFolder(folder: string): Promise<void> {
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
