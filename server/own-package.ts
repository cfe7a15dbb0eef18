/** Reads the package.json of this program, which is beside or above the sources or the bundle. */
import { existsSync, readFileSync } from 'node:fs';

/** Returns the version of this program; empty without a package.json. */
export function readVersion(): string {
  return readOwnPackage(({ version }) => (typeof version === 'string' ? version : undefined)) ?? '';
}

/**
 * Returns `latchkey.updateKeys` as a set of keys: the publisher's keys that the app is built with, if the server runs
 * beside the sources of the app. Empty if there are none.
 */
export function readPublisherKeys(): { readonly keys: readonly unknown[] } {
  const keys = readOwnPackage(({ latchkey }) => (latchkey as { updateKeys?: unknown } | undefined)?.updateKeys);
  return { keys: Array.isArray(keys) ? keys : [] };
}

/** Returns the first value that `read` finds in a package.json; `undefined` if there is none. */
function readOwnPackage<T>(read: (content: Readonly<Record<string, unknown>>) => T | undefined): T | undefined {
  for (const path of ['./package.json', '../package.json', '../../package.json']) {
    const url = new URL(path, import.meta.url);
    const found = existsSync(url) ? read(JSON.parse(readFileSync(url, 'utf8'))) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
