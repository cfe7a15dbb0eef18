/**
 * Passes the one-time address to a browser in a file: every user of the machine can read a process's arguments, but
 * only the owner can read this file.
 */
import { rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createFolder } from '../../platform/create-folder.ts';

/**
 * Writes a page that opens the address, and returns its path. It is in the profile folder, because a sandboxed browser
 * cannot read the folder for temporary files.
 */
export function writeOpeningPage(profile: string, address: string): string {
  const folder = join(profile, 'open');
  const path = join(folder, 'latchkey.html');
  rmSync(path, { force: true });
  createFolder(folder);
  writeFileSync(path, html(address), { mode: 0o600, flag: 'wx' });
  return path;
}

/** Removes the page at this path, and its folder unless it has other files: any folder can be the profile. */
export function removeOpeningPage(path: string): void {
  rmSync(path, { force: true });
  try {
    rmdirSync(dirname(path));
  } catch {
    // It has other files, or is gone.
  }
}

function html(address: string): string {
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>Latchkey</title>
<a href="${address}">Open Latchkey</a>
`;
}
