/** Finds Chrome, Chromium or Edge on this machine, for the window of the browser host and for the tests. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];

const fixedPaths: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
  win32: ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].map((name) =>
    join(process.env[name] ?? '', 'Google/Chrome/Application/chrome.exe'),
  ),
};

/** The path of the browser, or `null` if there is none. */
export function findSystemBrowser(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const onPath = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  const paths = [...(fixedPaths[process.platform] ?? []), ...(process.platform === 'win32' ? [] : onPath)];
  return paths.find(isExecutable) ?? null;
}

/** Whether there is a program at this path that we may run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
