/** Computes the SHA-256 of a file of any size. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

const chunkBytes = 1024 * 1024;

/** Returns the hash in lower-case hex. Rejects with the system's error if the file cannot be read. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: chunkBytes }), hash);
  return hash.digest('hex');
}
