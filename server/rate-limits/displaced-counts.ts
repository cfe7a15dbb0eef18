/**
 * Remembers what was counted for clients for whom there was no room any more, so that nobody gets a new window by
 * displacing others: for up to a million of them, each by 49 bits of a hash in place of its name.
 */
import { randomInt } from 'node:crypto';

type Count = { readonly endsAtMs: number; readonly count: number };

const buckets = 131_072;
const bucketSize = 8;

export class DisplacedCounts {
  readonly #seed: number;
  // 16 MiB, made with the first one, because most servers never need them.
  #entries: { prints: Uint32Array; counts: Uint32Array; endsAtMs: Float64Array } | undefined;

  /** The seed is random, so that nobody can choose addresses that are taken for one another; a test sets it. */
  constructor(seed: number = randomInt(2 ** 32)) {
    this.#seed = seed;
  }

  /** Where there is no room, it displaces the one that has sent the least. */
  add(key: string, { endsAtMs, count }: Count, nowMs: number): void {
    this.#entries ??= {
      prints: new Uint32Array(buckets * bucketSize),
      counts: new Uint32Array(buckets * bucketSize),
      endsAtMs: new Float64Array(buckets * bucketSize),
    };
    const entries = this.#entries;
    const { first, print } = this.#locate(key);
    let chosen = first;
    let least = Number.POSITIVE_INFINITY;
    for (let entry = first; entry < first + bucketSize; entry++) {
      const isOver = (entries.endsAtMs[entry] ?? 0) <= nowMs;
      const weight = entries.prints[entry] === print ? -1 : isOver ? 0 : (entries.counts[entry] ?? 0);
      if (weight < least) [chosen, least] = [entry, weight];
    }
    entries.prints[chosen] = print;
    entries.counts[chosen] = count;
    entries.endsAtMs[chosen] = endsAtMs;
  }

  /** `undefined` for a client who was not displaced within its window. */
  find(key: string, nowMs: number): Count | undefined {
    if (!this.#entries) return undefined;
    const { prints, counts, endsAtMs } = this.#entries;
    const { first, print } = this.#locate(key);
    for (let entry = first; entry < first + bucketSize; entry++) {
      const endMs = endsAtMs[entry] ?? 0;
      if (prints[entry] === print && endMs > nowMs) return { endsAtMs: endMs, count: counts[entry] ?? 0 };
    }
    return undefined;
  }

  #locate(key: string): { first: number; print: number } {
    let [print, bucket] = [this.#seed, ~this.#seed];
    for (let index = 0; index < key.length; index++) {
      const code = key.charCodeAt(index);
      print = Math.imul(print ^ code, 0x01000193);
      bucket = Math.imul(bucket ^ code, 0x85ebca6b);
      bucket ^= bucket >>> 15;
    }
    return { first: (bucket & (buckets - 1)) * bucketSize, print: (print ^ (print >>> 15)) >>> 0 };
  }
}
