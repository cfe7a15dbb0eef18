/** Remembers who is refused and until when, so that whoever goes on all the same costs the store nothing. */

export class RefusedClients {
  readonly #monotonic: () => number;
  readonly #capacity: number;
  // About in the order in which they end.
  readonly #endsAt = new Map<string, number>();

  constructor(monotonic: () => number, capacity = 100_000) {
    this.#monotonic = monotonic;
    this.#capacity = capacity;
  }

  add(key: string, leftMs: number): void {
    const now = this.#monotonic();
    for (const [oldKey, endsAt] of this.#endsAt) {
      if (endsAt > now && this.#endsAt.size < this.#capacity) break;
      this.#endsAt.delete(oldKey);
      if (endsAt > now) break;
    }
    this.#endsAt.set(key, now + leftMs);
  }

  /** For how long `key` is still refused; `undefined` when it is not. */
  leftMs(key: string): number | undefined {
    const endsAt = this.#endsAt.get(key);
    if (endsAt === undefined) return undefined;
    const left = endsAt - this.#monotonic();
    if (left > 0) return left;
    this.#endsAt.delete(key);
    return undefined;
  }
}
