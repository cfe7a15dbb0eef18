/** The end-to-end specs: the real window against the real server. */
import { defineConfig } from '@playwright/test';
import { browserArguments, findBrowser } from '../run/find-browser.ts';
import { isQuick, longTests } from '../run/long-tests.ts';

const executablePath = findBrowser();

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  testIgnore: isQuick ? longTests.map((file) => `**/${file}`) : [],
  outputDir: '../../test-results/e2e',
  globalSetup: './fixtures/prepare.ts',
  fullyParallel: true,
  workers: 2,
  retries: 0,
  // These limits only end what hangs: a machine that is busy or slow may take ten times as long as an idle one.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: [['list']],
  use: {
    screenshot: 'only-on-failure',
    launchOptions: { args: browserArguments, ...(executablePath !== null && { executablePath }) },
  },
});
