/** Randomness as a parameter, and the ids made from it. */
import { randomBytes } from 'node:crypto';
import { v7, validate } from 'uuid';

/** Returns that many unpredictable bytes. */
export type Random = (byteCount: number) => Buffer;

export const systemRandom: Random = (byteCount) => randomBytes(byteCount);

/** Whether a text is a UUID of any version. */
export function isUuid(text: string): boolean {
  return validate(text);
}

/** A UUID of version 7 (RFC 9562, section 5.7): it starts with the time, so an index on it grows at its end. */
export function newUuid(nowMs: number, random: Random): string {
  return v7({ msecs: nowMs, random: random(16) });
}
