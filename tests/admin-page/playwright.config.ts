/** Configures the specs of the admin page: the built page from a real server, in the system's browser. */
import { defineConfig } from '@playwright/test';
import { browserArguments, findBrowser } from '../run/find-browser.ts';
import { isQuick, longTests } from '../run/long-tests.ts';

const executablePath = findBrowser();

export default defineConfig({
  testDir: import.meta.dirname,
  testMatch: '**/*.spec.ts',
  testIgnore: isQuick ? longTests.map((file) => `**/${file}`) : [],
  outputDir: '../../test-results/admin-page',
  globalSetup: './build-page.ts',
  fullyParallel: true,
  workers: 2,
  // These limits only end what hangs: a machine that is busy or slow may take ten times as long as an idle one.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: [['list']],
  use: {
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    launchOptions: { args: browserArguments, ...(executablePath !== null && { executablePath }) },
  },
});
