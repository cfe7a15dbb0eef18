/** Creates folders that the settings or an admin ask for. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates the folder and any missing parents, accessible only to their owner. Throws the system's error if that is
 * impossible. Node's own `recursive` option never returns if the system reports a folder as missing although it exists,
 * as Linux does for every new folder in /proc (Node 20 to 24).
 */
export function createFolder(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) createFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
