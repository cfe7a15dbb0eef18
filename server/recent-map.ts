/** A map of bounded size that keeps what was used last. */

/**
 * Holds at most `capacity` entries. Entries that are neither read nor written are dropped first, in whole halves, so that
 * reading one costs no more than a look-up in a plain map.
 */
export class RecentMap<K, V extends NonNullable<unknown>> {
  readonly #halfCapacity: number;
  #recent = new Map<K, V>();
  #older = new Map<K, V>();

  constructor(capacity: number) {
    this.#halfCapacity = Math.max(1, Math.floor(capacity / 2));
  }

  get(key: K): V | undefined {
    const value = this.#recent.get(key);
    if (value !== undefined) return value;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: K, value: V): void {
    if (this.#recent.size >= this.#halfCapacity) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
  }

  delete(key: K): void {
    this.#recent.delete(key);
    this.#older.delete(key);
  }

  /** The value of the key, which `make` makes where the map does not hold it. */
  getOrMake(key: K, make: (key: K) => V): V {
    const held = this.get(key);
    if (held !== undefined) return held;
    const made = make(key);
    this.set(key, made);
    return made;
  }
}
