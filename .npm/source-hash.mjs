/** Hashes the sources of a build, to tell whether it is current. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const files = ['package-lock.json', 'vite.config.ts'];

/**
 * Returns the SHA-256 (hex) of the names and contents of all server sources. Throws the system's error if one is
 * missing.
 */
export function hashServerSources(root) {
  return hashSources(root, ['server', 'shared'], /\.ts$/);
}

/** Like `hashServerSources`, for the sources of the pages. */
export function hashPageSources(root) {
  return hashSources(root, ['renderer', 'shared'], /\.(?:tsx?|css|html|svg)$/);
}

function hashSources(root, folders, pattern) {
  const hash = createHash('sha256');
  for (const name of [...folders.flatMap((folder) => listSources(root, folder, pattern)), ...files])
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(root, name)))
      .update('\0');
  return hash.digest('hex');
}

/** Lists the sources in the same order on every machine. */
function listSources(root, folder, pattern) {
  const entries = readdirSync(join(root, folder), { recursive: true });
  return entries
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name))
    .sort();
}
