/** Randomness as a parameter, and the ids made from it. */
import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';

/** Returns that many unpredictable bytes. */
export type Random = (byteCount: number) => Buffer;

export const systemRandom: Random = (byteCount) => randomBytes(byteCount);

/** Whether a text has the form of an id of this server: a UUID in lower case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

/** A UUID of version 7 (RFC 9562, section 5.7): it starts with the time, so an index on it grows at its end. */
export function newUuid(nowMs: number, random: Random): string {
  return v7({ msecs: nowMs, random: random(16) });
}
