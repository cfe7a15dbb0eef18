/** Reads JSON documents from a store, including those of newer versions that allow it. */
import { z } from 'zod';
import type { PlainStore } from './platform.ts';

export type StoredDocument<T> =
  /** `isNewer`: written by a newer version, perhaps with more than this one reads; it is set aside before a write. */
  | { readonly kind: 'value'; readonly value: T; readonly isNewer: boolean }
  | { readonly kind: 'absent' }
  /** The store failed, a newer version wrote it and says that this one cannot read it, or it is damaged. */
  | { readonly kind: 'unreadable'; readonly why: 'store' | 'newer' | 'damaged' };

/** A newer version states the lowest version that can read its documents; by default, its own. */
const envelope = z.object({ version: z.int(), min_reader: z.int().optional() });

/** Returns the named document if this version can read it; an empty text counts as absent. */
export async function readDocument<T>(
  store: Pick<PlainStore, 'read'>,
  name: string,
  schema: z.ZodType<T>,
  version = 1,
): Promise<StoredDocument<T>> {
  const read = await store.read(name);
  if (read.kind === 'unreadable') return { kind: 'unreadable', why: 'store' };
  if (read.kind === 'absent' || read.value === '') return { kind: 'absent' };
  const json = parseJson(read.value);
  const written = envelope.safeParse(json).data ?? { version };
  const isNewer = written.version > version;
  if (isNewer && (written.min_reader ?? written.version) > version) return { kind: 'unreadable', why: 'newer' };
  const parsed = schema.safeParse(isNewer ? { ...Object(json), version } : json);
  return parsed.success
    ? { kind: 'value', value: parsed.data, isNewer }
    : { kind: 'unreadable', why: isNewer ? 'newer' : 'damaged' };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
