/** What the package.json of this program says, which is beside or above the sources or the bundle. */
import { existsSync, readFileSync } from 'node:fs';

/** The version of this program; empty without a package.json. */
export function readVersion(): string {
  return readOwnPackage(({ version }) => (typeof version === 'string' ? version : undefined)) ?? '';
}

/**
 * `latchkey.updateKeys`, as a set of keys: those of the publisher that the app is built with, where the server runs beside
 * the sources of the app. Empty if there is none.
 */
export function readPublisherKeys(): { readonly keys: readonly unknown[] } {
  const keys = readOwnPackage(({ latchkey }) => (latchkey as { updateKeys?: unknown } | undefined)?.updateKeys);
  return { keys: Array.isArray(keys) ? keys : [] };
}

/** The first value that `read` finds; `undefined` if there is none. */
function readOwnPackage<T>(read: (content: Readonly<Record<string, unknown>>) => T | undefined): T | undefined {
  for (const path of ['./package.json', '../package.json', '../../package.json']) {
    const url = new URL(path, import.meta.url);
    const found = existsSync(url) ? read(JSON.parse(readFileSync(url, 'utf8'))) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
