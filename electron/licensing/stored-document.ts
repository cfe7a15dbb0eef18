/** Reads JSON documents from a store, and quarantines those that cannot be understood. */
import type { z } from 'zod';
import type { Log, PlainStore } from './platform.ts';

export type StoredDocument<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'absent' }
  /** The store failed, or the text is not a document of this schema. */
  | { readonly kind: 'unreadable' };

/** Both `PlainStore` and `SecretStore` fit. */
type TextStore = Pick<PlainStore, 'read' | 'write'>;

/** The document of that name; an empty text counts as absent. */
export async function readDocument<T>(
  store: TextStore,
  name: string,
  schema: z.ZodType<T>,
): Promise<StoredDocument<T>> {
  const read = await store.read(name);
  if (read.kind !== 'value') return { kind: read.kind };
  if (read.value === '') return { kind: 'absent' };
  const parsed = schema.safeParse(parseJson(read.value));
  return parsed.success ? { kind: 'value', value: parsed.data } : { kind: 'unreadable' };
}

/** Copies a text that cannot be understood to `NAME-unreadable`, so that it may be overwritten. Never rejects. */
export async function quarantineDocument(store: TextStore, name: string, log: Log): Promise<void> {
  const read = await store.read(name);
  if (read.kind !== 'value') return;
  await store.write(`${name}-unreadable`, read.value).catch(() => log.warn(`the unreadable ${name} was not copied`));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
