/** What a bundle of the server is made from, as one hash: it tells a bundle that is current from one of older sources. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folders = ['server', 'shared'];
const files = ['package-lock.json', 'vite.config.ts'];

/** SHA-256, hex, of the names and contents of all sources below `root`. Throws the system's error if one is missing. */
export function hashServerSources(root) {
  const hash = createHash('sha256');
  for (const name of [...folders.flatMap((folder) => listSources(root, folder)), ...files])
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(root, name)))
      .update('\0');
  return hash.digest('hex');
}

/** In the same order on every machine. */
function listSources(root, folder) {
  const entries = readdirSync(join(root, folder), { recursive: true });
  return entries
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
    .sort();
}
