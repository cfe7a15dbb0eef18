/** Randomness derived from a seed: every part of a simulated world draws from its own generator. */

/** A generator of 32-bit integers (SFC32 from PractRand), created from a seed and a name. */
export class SeededRandom {
  readonly #state: Uint32Array;

  constructor(seed: number, name: string) {
    this.#state = Uint32Array.of(seed, hashOf(name), 0x9e3779b9, 1);
    for (let round = 0; round < 12; round++) this.#next();
  }

  /** Returns a number in [0, 1). */
  readonly fraction = (): number => this.#next() / 2 ** 32;

  /** Returns an integer from 0 to `limit` - 1. */
  integer(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  readonly bytes = (count: number): Buffer => {
    const bytes = Buffer.alloc(count);
    for (let index = 0; index < count; index++) bytes[index] = this.#next() & 0xff;
    return bytes;
  };

  /** Returns a version 4 UUID (RFC 9562, section 5.4). */
  readonly uuid = (): string => {
    const bytes = this.bytes(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  };

  #next(): number {
    const state = this.#state;
    const [a, b, c, d] = state as unknown as readonly [number, number, number, number];
    const sum = (a + b + d) >>> 0;
    state[3] = d + 1;
    state[0] = b ^ (b >>> 9);
    state[1] = c + (c << 3);
    state[2] = ((c << 21) | (c >>> 11)) + sum;
    return sum;
  }
}

/** Returns the FNV-1a hash. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}
