/** Configures the window specs: the built window with the fake bridge, in the system's browser. */
import { defineConfig } from '@playwright/test';
import { commonConfig, steadyPage } from '../run/playwright-config.ts';

export default defineConfig({
  ...commonConfig,
  testDir: import.meta.dirname,
  outputDir: '../../test-results/window',
  globalSetup: './build-once.ts',
  use: { ...steadyPage, viewport: { width: 1080, height: 720 } },
});
