/** Finds Chrome, Chromium or Edge on this machine, for the browser host's window and for the tests. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];

const fixedPaths: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
  win32: ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].map((name) =>
    join(process.env[name] ?? '', 'Google/Chrome/Application/chrome.exe'),
  ),
};

/** Returns the path of the browser, or `null` if there is none. */
export function findSystemBrowser(): string | null {
  return (fixedPaths[process.platform] ?? []).find(isExecutable) ?? findOnPath(names);
}

/** Returns the path of the first of these programs in a folder of PATH, or `null`; always `null` on Windows. */
export function findOnPath(programs: readonly string[]): string | null {
  if (process.platform === 'win32') return null;
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => programs.map((name) => join(folder, name))).find(isExecutable) ?? null;
}

/** True if there is a program at this path that we may run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
