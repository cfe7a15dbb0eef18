/** Reads the package.json of this program, which is beside or above the sources or the bundle. */
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

const packageJson = z.object({
  version: z.string().optional().catch(undefined),
  latchkey: z
    .object({ updateKeys: z.array(z.unknown()) })
    .optional()
    .catch(undefined),
});

type PackageJson = z.infer<typeof packageJson>;

/** Returns the version of this program; empty without a package.json. */
export function readVersion(): string {
  return readOwnPackage(({ version }) => version) ?? '';
}

/**
 * Returns `latchkey.updateKeys` as a set of keys: the publisher's keys that the app is built with, if the server runs
 * beside the sources of the app. Empty if there are none.
 */
export function readPublisherKeys(): { readonly keys: readonly unknown[] } {
  return { keys: readOwnPackage(({ latchkey }) => latchkey?.updateKeys) ?? [] };
}

/** Returns the first value that `read` finds in a package.json; `undefined` if there is none. */
function readOwnPackage<T>(read: (content: PackageJson) => T | undefined): T | undefined {
  for (const path of ['./package.json', '../package.json', '../../package.json']) {
    const url = new URL(path, import.meta.url);
    const found = existsSync(url) ? read(packageJson.parse(JSON.parse(readFileSync(url, 'utf8')))) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
