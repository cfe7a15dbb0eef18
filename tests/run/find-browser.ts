/** Finds the browser that the tests drive: the system's Chrome or Chromium, else Playwright's own. */
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from '@playwright/test';

const commands = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome', 'msedge'];

const wellKnownPlaces = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/** What every launch of the browser is given: the tests are offline and run as any user, root included. */
export const browserArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The path of a browser that can be started, or `null`. `TEST_BROWSER` names another. */
export function findBrowser(environment: NodeJS.ProcessEnv = process.env): string | null {
  const onPath = (environment.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => commands.map((name) => join(folder, name)));
  const candidates = [environment.TEST_BROWSER ?? '', ...onPath, ...wellKnownPlaces, playwrightsOwn()];
  return candidates.find((path) => path !== '' && isExecutable(path)) ?? null;
}

function playwrightsOwn(): string {
  const path = chromium.executablePath();
  return existsSync(path) ? path : '';
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
