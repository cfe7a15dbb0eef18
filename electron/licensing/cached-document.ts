/** A stored document that is useful but not needed, such as the server's last answer to a question. */
import type { z } from 'zod';
import type { Log, PlainStore } from './platform.ts';
import { readDocument } from './stored-document.ts';

export type CachedDocumentDeps<T> = {
  /** Or the secret store. */
  readonly plain: PlainStore;
  readonly log: Log;
  readonly name: string;
  readonly schema: z.ZodType<T>;
};

export class CachedDocument<T> {
  readonly #deps: CachedDocumentDeps<T>;
  /** The stored document is unreadable or from a newer version: it is set aside before the first write. */
  #setAsideFirst = false;

  constructor(deps: CachedDocumentDeps<T>) {
    this.#deps = deps;
  }

  /** Returns `null` if there is nothing readable. */
  async read(): Promise<T | null> {
    const { plain, name, schema } = this.#deps;
    const read = await readDocument(plain, name, schema);
    this.#setAsideFirst = read.kind === 'unreadable' || (read.kind === 'value' && read.isNewer);
    return read.kind === 'value' ? read.value : null;
  }

  /** Returns whether it is stored; never rejects: the document can be done without. */
  async write(value: Omit<T, 'version'>): Promise<boolean> {
    const { plain, log, name } = this.#deps;
    try {
      if (this.#setAsideFirst) await plain.setAside(name);
      this.#setAsideFirst = false;
      await plain.write(name, JSON.stringify({ version: 1, min_reader: 1, ...value }));
      return true;
    } catch {
      log.warn(`a document could not be stored: ${name}`);
      return false;
    }
  }
}
