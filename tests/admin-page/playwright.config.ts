/** Configures the specs of the admin page: the built page from a real server, in the system's browser. */
import { defineConfig } from '@playwright/test';
import { commonConfig, steadyPage } from '../run/playwright-config.ts';

export default defineConfig({
  ...commonConfig,
  testDir: import.meta.dirname,
  outputDir: '../../test-results/admin-page',
  globalSetup: './build-page.ts',
  use: { ...steadyPage, viewport: { width: 1280, height: 800 } },
});
