/** The keys of the publisher that the app is built with, where the server runs beside the sources of the app. */
import { readOwnPackage } from '../own-package.ts';

/** `latchkey.updateKeys` of the project's package.json, as a set of keys; empty if there is none. */
export function readPublisherKeys(): { readonly keys: readonly unknown[] } {
  const keys = readOwnPackage(({ latchkey }) => (latchkey as { updateKeys?: unknown } | undefined)?.updateKeys);
  return { keys: Array.isArray(keys) ? keys : [] };
}
