/** Randomness as a parameter, and the ids made from it. */
import { randomBytes, randomFillSync } from 'node:crypto';
import { v7, validate } from 'uuid';

/** Returns that many unpredictable bytes. */
export type Random = (byteCount: number) => Buffer;

/** How many bytes are taken from the system at once, because each call of it costs far more than its bytes. */
const poolBytes = 4096;

/** Each byte comes from the system's generator, is given out once, and is then erased from the pool. */
export const systemRandom: Random = createSystemRandom();

function createSystemRandom(): Random {
  const pool = Buffer.alloc(poolBytes);
  let used = poolBytes;
  return (byteCount) => {
    if (byteCount > poolBytes) return randomBytes(byteCount);
    if (used + byteCount > poolBytes) {
      randomFillSync(pool);
      used = 0;
    }
    const bytes = Buffer.from(pool.subarray(used, used + byteCount));
    pool.fill(0, used, used + byteCount);
    used += byteCount;
    return bytes;
  };
}

/** Whether a text is a UUID of any version. */
export function isUuid(text: string): boolean {
  return validate(text);
}

/** A UUID of version 7 (RFC 9562, section 5.7): it starts with the time, so an index on it grows at its end. */
export function newUuid(nowMs: number, random: Random): string {
  return v7({ msecs: nowMs, random: random(16) });
}
