/** Remembers in the profile which one-time notifications were shown, so that no restart repeats them. */
import { z } from 'zod';
import { CachedDocument } from './licensing/cached-document.ts';
import type { Log, PlainStore } from './licensing/platform.ts';

/** Maximum number of stored keys. Those that came up longest ago are dropped first: they concern events long past. */
const maxKeys = 50;

const storedKeys = z.object({ version: z.literal(1), keys: z.array(z.string()) });
type StoredKeys = z.infer<typeof storedKeys>;

export class Announced {
  readonly #document: CachedDocument<StoredKeys>;
  #keys: readonly string[];

  private constructor(document: CachedDocument<StoredKeys>, keys: readonly string[]) {
    this.#document = document;
    this.#keys = keys;
  }

  static async load(plain: PlainStore, log: Log): Promise<Announced> {
    const document = new CachedDocument({ plain, log, name: 'announced', schema: storedKeys });
    return new Announced(document, (await document.read())?.keys ?? []);
  }

  /** True if the key was added before. It then counts as the newest, so one that keeps coming up is not dropped. */
  has(key: string): boolean {
    const isKnown = this.#keys.includes(key);
    // Stored with the next one that is added, which is the only one that can drop it.
    if (isKnown) this.#keys = [...this.#keys.filter((each) => each !== key), key];
    return isKnown;
  }

  /** Adds a key, which takes effect immediately and is stored in the background. */
  add(key: string): void {
    if (this.has(key)) return;
    this.#keys = [...this.#keys, key].slice(-maxKeys);
    void this.#document.write({ keys: [...this.#keys] });
  }
}
