/**
 * Computes the SHA-256 of a file of any size, reading it in slices to limit memory use and keep the page responsive.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

type HashFileOptions = {
  readonly signal: AbortSignal;
  readonly onProgress: (doneBytes: number) => void;
};

/** A slice takes about 10 ms to hash, after which the page can do other work. */
const sliceBytes = 1024 ** 2;

/**
 * Returns the hash in hex. Throws a `DOMException`: AbortError if `signal` was aborted, another one if the file cannot
 * be read or has changed.
 */
export async function hashFile(file: Blob, { signal, onProgress }: HashFileOptions): Promise<string> {
  const hash = sha256.create();
  for (let done = 0; done < file.size; done += sliceBytes) {
    signal.throwIfAborted();
    hash.update(new Uint8Array(await file.slice(done, done + sliceBytes).arrayBuffer()));
    onProgress(Math.min(done + sliceBytes, file.size));
  }
  signal.throwIfAborted();
  return bytesToHex(hash.digest());
}
