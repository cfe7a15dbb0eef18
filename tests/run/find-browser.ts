/** Finds the browser for the tests: Chromium's headless shell, the system's Chrome or Chromium, or Playwright's own. */
import { chromium } from '@playwright/test';
import { findOnPath, findSystemBrowser, isExecutable } from '../../electron/host/start/find-system-browser.ts';

/** Arguments for every launch of the browser: the tests are offline and run as any user, including root. */
export const browserArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Environment of the browser: without a UTF-8 locale it cannot open files with non-ASCII names. */
export const browserEnvironment: NodeJS.ProcessEnv = { ...process.env, LC_ALL: 'C.UTF-8' };

/** Chromium without window, tabs and menus, which opens a page in a third of the time. Playwright prefers it too. */
const headlessShell = 'chromium-headless-shell';

/** Returns the path of an executable browser, or `null`. `TEST_BROWSER` names another one. */
export function findBrowser(): string | null {
  const named = process.env.TEST_BROWSER ?? '';
  if (isExecutable(named)) return named;
  const playwrightsOwn = chromium.executablePath();
  return findOnPath([headlessShell]) ?? findSystemBrowser() ?? (isExecutable(playwrightsOwn) ? playwrightsOwn : null);
}
