/** What the server told last, kept in the plain store for the time offline: nothing that could not be asked for again. */
import type { z } from 'zod';
import type { Log, PlainStore } from './platform.ts';
import { readDocument } from './stored-document.ts';

export type CachedDocumentDeps<T> = {
  readonly plain: PlainStore;
  readonly log: Log;
  readonly name: string;
  readonly schema: z.ZodType<T>;
};

export class CachedDocument<T> {
  readonly #deps: CachedDocumentDeps<T>;
  /** What cannot be read, or a newer version wrote, is set aside before the first write. */
  #setAsideFirst = false;

  constructor(deps: CachedDocumentDeps<T>) {
    this.#deps = deps;
  }

  /** `null` if there is nothing that can be read. */
  async read(): Promise<T | null> {
    const { plain, name, schema } = this.#deps;
    const read = await readDocument(plain, name, schema);
    this.#setAsideFirst = read.kind === 'unreadable' || (read.kind === 'value' && read.isNewer);
    return read.kind === 'value' ? read.value : null;
  }

  /** Never fails: without the document the server is asked again. */
  async write(value: Omit<T, 'version'>): Promise<void> {
    const { plain, log, name } = this.#deps;
    try {
      if (this.#setAsideFirst) await plain.setAside(name);
      this.#setAsideFirst = false;
      await plain.write(name, JSON.stringify({ version: 1, min_reader: 1, ...value }));
    } catch {
      log.warn(`what the server told could not be stored: ${name}`);
    }
  }
}
