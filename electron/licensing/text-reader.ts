/** Decodes the bytes of a file as they arrive, and detects binary files. */

/** Number of leading bytes that decide whether a file is text. */
const probeBytes = 8192;

export class TextReader {
  #decoder: InstanceType<typeof TextDecoder> | null = null;

  /**
   * Returns the text of the next bytes, keeping an incomplete character for the next call; `null` for a binary file.
   */
  read(bytes: Uint8Array): string | null {
    if (this.#decoder === null) {
      const encoding = detectEncoding(bytes.subarray(0, probeBytes));
      if (encoding === null) return null;
      this.#decoder = new TextDecoder(encoding);
    }
    return this.#decoder.decode(bytes, { stream: true });
  }
}

/** Detects UTF-16 by its byte order mark, as Windows writes it; a zero byte makes anything else a binary file. */
function detectEncoding(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return bytes.includes(0) ? null : 'utf-8';
}
