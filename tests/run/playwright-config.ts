/** What the configurations of all browser specs have in common. */
import type { PlaywrightTestConfig } from '@playwright/test';
import { browserArguments, findBrowser } from './find-browser.ts';
import { isQuick, longTests } from './long-tests.ts';

const executablePath = findBrowser();

/** How the browser starts. */
export const launchOptions = { args: browserArguments, ...(executablePath !== null && { executablePath }) };

/** How the specs of a suite are found and run. */
export const commonConfig = {
  testMatch: '**/*.spec.ts',
  testIgnore: isQuick ? longTests.map((file) => `**/${file}`) : [],
  fullyParallel: true,
  workers: 2,
  // These limits only end what hangs: a machine that is busy or slow may take ten times as long as an idle one.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: [['list']],
} satisfies PlaywrightTestConfig;

/** A page that looks the same on every machine. */
export const steadyPage = {
  locale: 'en-GB',
  timezoneId: 'Europe/Berlin',
  reducedMotion: 'reduce',
  launchOptions,
} satisfies PlaywrightTestConfig['use'];
