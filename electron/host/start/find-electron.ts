/** Finds Electron's binary, or downloads it. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startMessages } from './start-messages.ts';

const downloadTimeoutMs = 60_000;

const binaries: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: 'electron',
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
};

/** Returns the path of the binary, downloading it if needed; `null` if that fails. */
export function findElectron(root: string, print: (line: string) => void): string | null {
  const installed = installedElectron(root);
  if (installed !== null || process.env.ELECTRON_SKIP_BINARY_DOWNLOAD) return installed;
  print(startMessages.downloadingElectron);
  const install = join(root, 'node_modules/electron/install.js');
  spawnSync(process.execPath, [install], { cwd: root, stdio: 'ignore', timeout: downloadTimeoutMs });
  return installedElectron(root);
}

/** Returns the path of the binary if it is installed, otherwise `null`. */
export function installedElectron(root: string): string | null {
  const name = binaries[process.platform];
  const path = join(root, 'node_modules/electron/dist', name ?? 'electron');
  return existsSync(path) ? path : null;
}
