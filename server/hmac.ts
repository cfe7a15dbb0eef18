/**
 * HMAC-SHA-256 (RFC 2104) for texts that are authenticated with each request. It is made of two hashes in one call each,
 * which takes half the time of `createHmac` with a `KeyObject`, and a tenth of that with bytes.
 */
import { hash } from 'node:crypto';

const blockBytes = 64;
const digestBytes = 32;

/** For texts that fit; nothing waits between filling and hashing it. */
const scratch = Buffer.alloc(8 * 1024);

export class HmacKey {
  readonly #inner: Buffer;
  /** The outer block, followed by room for the digest of the inner one. */
  readonly #outer: Buffer;

  constructor(key: Uint8Array) {
    const block = Buffer.alloc(blockBytes);
    block.set(key.length > blockBytes ? hash('sha256', key, 'buffer') : key);
    this.#inner = Buffer.from(block.map((byte) => byte ^ 0x36));
    this.#outer = Buffer.alloc(blockBytes + digestBytes);
    this.#outer.set(block.map((byte) => byte ^ 0x5c));
  }

  /** Of the text in UTF-8. */
  digest(text: string, encoding: 'hex' | 'base64url'): string {
    const byteCount = blockBytes + Buffer.byteLength(text);
    const message = byteCount <= scratch.length ? scratch.subarray(0, byteCount) : Buffer.alloc(byteCount);
    message.set(this.#inner);
    message.write(text, blockBytes);
    // As a text, because `hash` takes three times as long to make a Buffer.
    this.#outer.write(hash('sha256', message, 'binary'), blockBytes, 'latin1');
    return hash('sha256', this.#outer, encoding);
  }
}
