/** Randomness as a parameter, and the ids that are made from it. */
import { randomBytes } from 'node:crypto';

/** That many unpredictable bytes. */
export type Random = (byteCount: number) => Buffer;

export const systemRandom: Random = (byteCount) => randomBytes(byteCount);

/** Whether a text has the shape of an id of ours. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

/** A UUID of version 7 (RFC 9562 §5.7): its first 48 bits are the time, so that an index grows at its end. */
export function newUuid(nowMs: number, random: Random): string {
  const bytes = random(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
