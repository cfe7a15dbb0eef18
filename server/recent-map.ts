/** A map of bounded size that keeps the entries that were used recently. */

/**
 * Holds entries up to a total size of `capacity`. When it is full, it drops the half that was neither read nor written
 * recently, all at once, so that reading costs little more than in a plain map.
 */
export class RecentMap<K, V extends NonNullable<unknown>> {
  readonly #halfCapacity: number;
  readonly #sizeOf: (value: V) => number;
  #recent = new Map<K, V>();
  #older = new Map<K, V>();
  #recentSize = 0;

  /** Every entry has the size 1 unless `sizeOf` says otherwise. */
  constructor(capacity: number, sizeOf: (value: V) => number = () => 1) {
    this.#halfCapacity = capacity / 2;
    this.#sizeOf = sizeOf;
  }

  get(key: K): V | undefined {
    const value = this.#recent.get(key);
    if (value !== undefined) return value;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: K, value: V): void {
    const size = this.#sizeOf(value);
    if (this.#recentSize + size > this.#halfCapacity && this.#recent.size > 0) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#recentSize = 0;
    }
    this.#recent.set(key, value);
    // What is replaced or deleted still counts, which only drops the older half earlier.
    this.#recentSize += size;
  }

  delete(key: K): void {
    this.#recent.delete(key);
    this.#older.delete(key);
  }

  clear(): void {
    this.#recent = new Map();
    this.#older = new Map();
    this.#recentSize = 0;
  }

  /** The value of the key, which `make` creates if the map does not have it. */
  getOrMake(key: K, make: () => V): V {
    const known = this.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.set(key, made);
    return made;
  }
}
