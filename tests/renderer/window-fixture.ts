/** Opens the window over a state; a message in the console, a blocked style or an error on the page fails the spec. */
import { test as base, expect } from '@playwright/test';
import type { AppState } from '../../shared/ipc/app-state.ts';
import { type FakeBridge, installFakeBridge, type Script } from './fake-bridge.ts';
import { serveWindow } from './serve-window.ts';

type OpenOptions = { readonly script?: Script; readonly hash?: string };

type Fixtures = {
  /** The window over this state, with main's answers scripted. */
  readonly open: (state: AppState | null, options?: OpenOptions) => Promise<FakeBridge>;
};

export const test = base.extend<Fixtures, { readonly address: string }>({
  address: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the parameter's pattern
    async ({}, use) => {
      const served = await serveWindow();
      await use(served.url);
      await served.stop();
    },
    { scope: 'worker' },
  ],
  open: async ({ page, address }, use) => {
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await use(async (state, { script, hash = '' } = {}) => {
      const fake = await installFakeBridge(page, state, script);
      await page.goto(address + hash);
      // A key pressed before the window has painted reaches nobody.
      if (state !== null && state.session.kind !== 'starting') await page.getByRole('heading').first().waitFor();
      return fake;
    });
    expect(complaints).toEqual([]);
  },
});

export { expect };
