/** Randomness as a parameter, and the ids made from it. */
import { v7 } from 'uuid';

/** Returns that many unpredictable bytes. */
export type Random = (byteCount: number) => Buffer;

/** True if the text is a UUID of any version. */
export { validate as isUuid } from 'uuid';

/** Creates a UUID version 7 (RFC 9562, section 5.7). It starts with the time, so an index on it grows at its end. */
export function newUuid(nowMs: number, random: Random): string {
  return v7({ msecs: nowMs, random: random(16) });
}

/**
 * Creates UUIDs version 7 that sort by time and, within a millisecond, by creation order, even if ids of earlier times
 * are created in between (RFC 9562, section 6.2, method 1).
 */
export class OrderedUuids {
  readonly #random: Random;
  #sequence: number;

  constructor(random: Random) {
    this.#random = random;
    // A random start keeps the ids of several processes apart, and leaves room for two billion before it wraps.
    this.#sequence = random(4).readUInt32BE() >>> 1;
  }

  next(nowMs: number): string {
    this.#sequence = (this.#sequence + 1) >>> 0;
    return v7({ msecs: nowMs, seq: this.#sequence, random: this.#random(16) });
  }
}

const maxUuidTimeMs = 2 ** 48 - 1;

/** Returns an id that sorts before every UUID version 7 created at this time or later. */
export function lowestUuid(timeMs: number): string {
  const hex = Math.min(Math.max(0, timeMs), maxUuidTimeMs).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

/** Returns the time of a UUID version 7, or of an id from `lowestUuid`, in ms since 1970. */
export function readUuidTime(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
