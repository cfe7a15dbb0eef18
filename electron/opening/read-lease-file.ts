/** Reads a lease file that was opened with the app. */
import { maxLeaseText } from '../../shared/formats/lease-text.ts';
import { readRegularFile } from '../platform/read-regular-file.ts';

/**
 * Returns its text, truncated for a longer file to a length that is too long for a lease; `null` if it cannot be read
 * or is not a regular file. Never rejects.
 */
export async function readLeaseFile(path: string): Promise<string | null> {
  try {
    return (await readRegularFile(path, maxLeaseText + 1)).toString();
  } catch {
    return null;
  }
}
