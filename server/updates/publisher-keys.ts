/** The keys of the publisher that the app is built with, where the server runs beside the sources of the app. */
import { existsSync, readFileSync } from 'node:fs';

/** `latchkey.updateKeys` of the project's package.json, as a set of keys; empty if there is none. */
export function readPublisherKeys(): { readonly keys: readonly unknown[] } {
  for (const path of ['./package.json', '../package.json', '../../package.json']) {
    const url = new URL(path, import.meta.url);
    if (!existsSync(url)) continue;
    const { latchkey } = JSON.parse(readFileSync(url, 'utf8')) as { latchkey?: { updateKeys?: unknown } };
    if (Array.isArray(latchkey?.updateKeys)) return { keys: latchkey.updateKeys };
  }
  return { keys: [] };
}
