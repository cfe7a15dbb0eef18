/** Remembers in the profile which one-time notifications were shown, so that no restart repeats them. */
import { z } from 'zod';
import type { Log, PlainStore } from './licensing/platform.ts';
import { readDocument } from './licensing/stored-document.ts';

const storeName = 'announced';
/** Maximum number of stored keys. The oldest are dropped first: they concern events that are long past. */
const maxKeys = 50;

const storedKeys = z.object({ keys: z.array(z.string()) });

export class Announced {
  readonly #store: PlainStore;
  readonly #log: Log;
  #keys: readonly string[];
  /** True if the stored document is unreadable; it is set aside before the first write. */
  #setAsideFirst: boolean;

  private constructor(store: PlainStore, log: Log, stored: { readonly keys: readonly string[]; isReadable: boolean }) {
    this.#store = store;
    this.#log = log;
    this.#keys = stored.keys;
    this.#setAsideFirst = !stored.isReadable;
  }

  static async load(store: PlainStore, log: Log): Promise<Announced> {
    const read = await readDocument(store, storeName, storedKeys);
    const keys = read.kind === 'value' ? read.value.keys : [];
    return new Announced(store, log, { keys, isReadable: read.kind !== 'unreadable' });
  }

  has(key: string): boolean {
    return this.#keys.includes(key);
  }

  /** Adds a key, which takes effect immediately and is stored in the background. */
  add(key: string): void {
    if (this.has(key)) return;
    this.#keys = [...this.#keys, key].slice(-maxKeys);
    this.#save().catch((error: unknown) => this.#log.warn('what was announced could not be stored', { error }));
  }

  async #save(): Promise<void> {
    const setAside = this.#setAsideFirst;
    this.#setAsideFirst = false;
    if (setAside) await this.#store.setAside(storeName);
    await this.#store.write(storeName, JSON.stringify({ keys: this.#keys }));
  }
}
