/** The version of this program. */
import { existsSync, readFileSync } from 'node:fs';

/** From the package.json of the project, beside or above the sources or the bundle; empty if there is none. */
export function readVersion(): string {
  for (const path of ['./package.json', '../package.json', '../../package.json']) {
    const url = new URL(path, import.meta.url);
    if (!existsSync(url)) continue;
    const { version } = JSON.parse(readFileSync(url, 'utf8')) as { version?: unknown };
    if (typeof version === 'string') return version;
  }
  return '';
}
