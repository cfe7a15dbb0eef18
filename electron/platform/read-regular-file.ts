/** Reads a file at an untrusted path: it may be a pipe or a device, or larger than memory. */
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

/** What is at the path is not a regular file. */
export class NotRegularFile extends Error {}

/** Without it, opening a pipe blocks until its other end is opened. Windows has no such flag. */
export const nonBlocking = constants.O_NONBLOCK ?? 0;

/** Reads the file, up to `maxBytes`. Rejects with `NotRegularFile`, or as `node:fs` does. */
export async function readRegularFile(path: string, maxBytes: number): Promise<Buffer> {
  // Checked before opening, because opening alone affects some devices, and after, because the path may have changed.
  requireFile(await stat(path));
  const file = await open(path, constants.O_RDONLY | nonBlocking);
  try {
    requireFile(await file.stat());
    return await buffer(file.createReadStream({ start: 0, end: maxBytes - 1, autoClose: false }));
  } finally {
    await file.close();
  }
}

function requireFile(found: { readonly isFile: () => boolean }): void {
  if (!found.isFile()) throw new NotRegularFile('not a regular file');
}
