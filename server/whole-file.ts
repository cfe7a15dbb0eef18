/** New files that a power failure leaves either absent or whole, and that are never written over one that is there. */
import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes the file, for its owner alone: `fill` writes it beside, then it is linked into place.
 * Where several processes make it at the same moment the first one wins, and its file is as good.
 */
export function createWholeFile(path: string, fill: (beside: string) => void): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.${process.pid}.new`;
  rmSync(beside, { force: true });
  closeSync(openSync(beside, 'wx', 0o600));
  try {
    fill(beside);
    syncPath(beside);
    linkSync(beside, path);
  } catch (error) {
    if (!existsSync(path)) throw error;
  } finally {
    rmSync(beside, { force: true });
  }
  syncPath(dirname(path));
}

/** Makes what was written to a file, or the names in a folder, last. */
export function syncPath(path: string): void {
  const isFolder = statSync(path).isDirectory();
  // Windows knows no such thing for a folder, and for a file wants it to be writable.
  if (isFolder && process.platform === 'win32') return;
  const descriptor = openSync(path, isFolder ? 'r' : 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
