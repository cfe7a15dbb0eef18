/** Reads the package.json of this program, which is next to or above the sources or the bundle. */
import { existsSync, readFileSync } from 'node:fs';

/** Returns the first value that `read` finds; `undefined` if there is none. */
export function readOwnPackage<T>(read: (content: Readonly<Record<string, unknown>>) => T | undefined): T | undefined {
  for (const path of ['./package.json', '../package.json', '../../package.json']) {
    const url = new URL(path, import.meta.url);
    const found = existsSync(url) ? read(JSON.parse(readFileSync(url, 'utf8'))) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
