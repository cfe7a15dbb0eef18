/** The publisher keys that the app is built with, if the server runs from a checkout that includes the app. */
import { readOwnPackage } from '../own-package.ts';

/** Returns `latchkey.updateKeys` of the project's package.json as a key set; empty if there is none. */
export function readPublisherKeys(): { readonly keys: readonly unknown[] } {
  const keys = readOwnPackage(({ latchkey }) => (latchkey as { updateKeys?: unknown } | undefined)?.updateKeys);
  return { keys: Array.isArray(keys) ? keys : [] };
}
