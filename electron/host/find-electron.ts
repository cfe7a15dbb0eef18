/** Electron's own binary: where npm has it, else fetched once, for so long and no longer. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const downloadTimeoutMs = 60_000;

const binaries: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: 'electron',
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
};

/** The path of the binary, or `null` where there is none and none can be had. */
export function findElectron(root: string, say: (line: string) => void): string | null {
  const present = presentElectron(root);
  if (present !== null || process.env.ELECTRON_SKIP_BINARY_DOWNLOAD) return present;
  say('Getting Electron …');
  const install = join(root, 'node_modules/electron/install.js');
  spawnSync(process.execPath, [install], { cwd: root, stdio: 'ignore', timeout: downloadTimeoutMs });
  return presentElectron(root);
}

/** The path of the binary that is there already. */
export function presentElectron(root: string): string | null {
  const name = binaries[process.platform];
  const path = join(root, 'node_modules/electron/dist', name ?? 'electron');
  return existsSync(path) ? path : null;
}
