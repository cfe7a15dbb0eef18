/** Opens the window with an app state; a console message, a blocked style or a page error fails the spec. */
import { test as base, expect } from '@playwright/test';
import type { AppState } from '../../shared/ipc/app-state.ts';
import { type FakeBridge, installFakeBridge, type Script } from './fake-bridge.ts';
import { serveWindow } from './serve-window.ts';

type OpenOptions = { readonly script?: Script; readonly hash?: string };

type Fixtures = {
  /** Opens the window with this state and scripted command results. */
  readonly open: (state: AppState | null, options?: OpenOptions) => Promise<FakeBridge>;
  /** Messages and errors that do not fail the spec. */
  readonly expectedProblem: RegExp;
};

export const test = base.extend<Fixtures, { readonly address: string }>({
  address: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a destructured parameter
    async ({}, use) => {
      const served = await serveWindow();
      await use(served.url);
      await served.stop();
    },
    { scope: 'worker' },
  ],
  expectedProblem: [/(?!)/, { option: true }],
  open: async ({ page, address, expectedProblem }, use) => {
    const problems: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    await use(async (state, { script, hash = '' } = {}) => {
      const fake = await installFakeBridge(page, state, script);
      await page.goto(address + hash);
      // A key pressed before the first paint is lost.
      if (state !== null && state.session.kind !== 'starting') await page.getByRole('heading').first().waitFor();
      return fake;
    });
    expect(problems.filter((problem) => !expectedProblem.test(problem))).toEqual([]);
  },
});

export { expect };
