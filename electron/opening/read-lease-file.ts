/** Reads the file of a lease that was opened with the app. */
import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { maxLeaseText } from '../../shared/formats/lease-text.ts';

/** A pipe that nobody writes to would be waited for. */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Its text, of a longer file only so much that it is too long for a lease; `null` if it cannot be read or is not a regular
 * file. Never rejects.
 */
export async function readLeaseFile(path: string): Promise<string | null> {
  let file: FileHandle | undefined;
  try {
    // Before it is opened, because opening alone affects some devices; and after, because the path may have changed.
    if (!(await stat(path)).isFile()) return null;
    file = await open(path, flags);
    if (!(await file.stat()).isFile()) return null;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxLeaseText + 1), 0, maxLeaseText + 1, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return null;
  } finally {
    await file?.close();
  }
}
