/** Randomness from the system's generator. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Random } from '../licensing/platform.ts';

export const systemRandom: Random = {
  fraction: () => Math.random(),
  bytes: (count) => new Uint8Array(randomBytes(count)),
  uuid: () => randomUUID(),
};
