/** A small document in the secret store, kept until it is forgotten, and known in memory at once. */
import type { z } from 'zod';
import { CachedDocument } from './cached-document.ts';
import type { Log, SecretStore } from './platform.ts';
import { SerialQueue } from './serial-queue.ts';

export type KeptDocumentDeps = { readonly secrets: SecretStore; readonly log: Log };

type Kept<T> = Omit<T, 'version'>;

export class KeptDocument<T extends { version: 1 }> {
  readonly #deps: KeptDocumentDeps & { readonly name: string; readonly schema: z.ZodType<T> };
  readonly #document: CachedDocument<T>;
  readonly #writes = new SerialQueue();
  #current: T | null = null;

  constructor(deps: KeptDocumentDeps & { readonly name: string; readonly schema: z.ZodType<T> }) {
    this.#deps = deps;
    this.#document = new CachedDocument({ ...deps, plain: deps.secrets });
  }

  get current(): Kept<T> | null {
    return this.#current;
  }

  async load(): Promise<void> {
    this.#current = await this.#document.read();
  }

  /** Takes effect at once, without properties that are not part of the document. Never rejects. */
  async remember(value: Kept<T>): Promise<void> {
    const next = this.#deps.schema.parse({ version: 1, ...value });
    if (JSON.stringify(next) === JSON.stringify(this.#current)) return;
    this.#current = next;
    await this.#writes.run(() => this.#document.write(next));
  }

  /** Takes effect at once. Never rejects. */
  async forget(): Promise<void> {
    if (this.#current === null) return;
    this.#current = null;
    const { secrets, log, name } = this.#deps;
    await this.#writes
      .run(() => secrets.remove(name))
      .catch(() => log.warn(`a document could not be removed: ${name}`));
  }

  /** Waits for writes in progress. */
  flush(): Promise<void> {
    return this.#writes.idle();
  }
}
