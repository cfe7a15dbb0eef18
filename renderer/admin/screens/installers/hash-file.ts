/** The SHA-256 of a file of any size: read in slices, so that it is never in memory as a whole and the page keeps responding. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

type HashFileOptions = {
  readonly signal: AbortSignal;
  readonly onProgress: (doneBytes: number) => void;
};

/** Is hashed in about 10 ms, after which the page can do something else. */
const sliceBytes = 1024 ** 2;

/** In hex. Throws a `DOMException`: AbortError once `signal` has ended it, another if the file cannot be read or was changed. */
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
