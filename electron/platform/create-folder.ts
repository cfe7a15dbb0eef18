/** Creates a folder for the desktop app's files. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates the folder and any missing parent folders, accessible only to their owner. Throws the system's error if that
 * is impossible. Node's own `recursive` option never returns if the system reports an existing folder as missing, as
 * Linux does for every new folder in /proc (Node 20 to 24).
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

/**
 * Returns true for the folder of another user, who could have put files there: settings, for example, with a server that
 * gets the password of whoever signs in. Root trusts the owner, as the server does; Windows has no owner to compare.
 */
export function belongsToOther(path: string): boolean {
  const own = process.getuid?.() ?? 0;
  return own !== 0 && ![own, 0].includes(statSync(path).uid);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
