/** The end-to-end specs: the real window against the real server. */
import { defineConfig } from '@playwright/test';
import { commonConfig, launchOptions } from '../run/playwright-config.ts';

export default defineConfig({
  ...commonConfig,
  testDir: import.meta.dirname,
  outputDir: '../../test-results/e2e',
  globalSetup: './fixtures/prepare.ts',
  use: { screenshot: 'only-on-failure', launchOptions },
});
