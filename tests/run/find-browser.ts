/** Finds the browser that the tests drive: Chromium's headless shell, the system's Chrome or Chromium, or Playwright's own. */
import { chromium } from '@playwright/test';
import { findOnPath, findSystemBrowser, isExecutable } from '../../electron/host/start/find-system-browser.ts';

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

/** Its environment: without a UTF-8 locale it cannot take a file whose name has letters beyond ASCII. */
export const browserEnvironment: NodeJS.ProcessEnv = { ...process.env, LC_ALL: 'C.UTF-8' };

/** Chromium without its window, tabs and menus, which opens a page in a third of the time. Playwright prefers it too. */
const headlessShell = 'chromium-headless-shell';

/** The path of a browser that can be started, or `null`. `TEST_BROWSER` names another. */
export function findBrowser(): string | null {
  const named = process.env.TEST_BROWSER ?? '';
  if (isExecutable(named)) return named;
  const playwrightsOwn = chromium.executablePath();
  return findOnPath([headlessShell]) ?? findSystemBrowser() ?? (isExecutable(playwrightsOwn) ? playwrightsOwn : null);
}
