/**
 * Passes the one-time address to a browser in a file: every user of the machine can read a process's arguments, but
 * only the owner can read this file.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes a page that opens the address, and returns its path. It is in the profile folder, because a sandboxed browser
 * cannot read the folder for temporary files.
 */
export function writeOpeningPage(profile: string, address: string): string {
  const folder = join(profile, 'open');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  const path = join(folder, 'latchkey.html');
  writeFileSync(path, html(address), { mode: 0o600, flag: 'wx' });
  return path;
}

/** Removes the page at this path with its folder. */
export function removeOpeningPage(path: string): void {
  rmSync(join(path, '..'), { recursive: true, force: true });
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
