/**
 * Opens the admin page of a real server. A request to another host, a page error or a policy violation fails the spec.
 */
import { test as base, expect, type Page } from '@playwright/test';
import { startServer } from '../harness/start-server.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { type Answers, fakeApi } from './fake-api.ts';

type OpenOptions = { readonly hash?: string; readonly answers?: Answers };

type Fixtures = {
  /** Opens the page with samples in place of the server's own data. */
  readonly open: (options?: OpenOptions) => Promise<void>;
};

export const test = base.extend<Fixtures, { readonly address: string }>({
  address: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a destructured parameter
    async ({}, use) => {
      const folder = makeTemporaryFolder();
      const server = await startServer({ LATCHKEY_DATA: folder });
      await use(localhost(server.url));
      await server.stop();
      removeFolder(folder);
    },
    { scope: 'worker' },
  ],
  open: async ({ page, address }, use) => {
    const problems = watchForProblems(page, address);
    await use(async ({ hash = '', answers } = {}) => {
      await fakeApi(page, answers);
      await page.goto(`${address}/admin${hash}`);
    });
    expect(problems).toEqual([]);
  },
});

/** Returns the address with the host name localhost, since passkeys do not work at an IP address. */
export function localhost(url: string): string {
  return url.replace('127.0.0.1', 'localhost');
}

/** Collects the page's problems. Error responses, which a browser also reports to the console, do not count as such. */
export function watchForProblems(page: Page, ...addresses: readonly string[]): readonly string[] {
  const problems: string[] = [];
  page.on('console', (message) => {
    const isProblem =
      ['error', 'warning'].includes(message.type()) && !message.text().startsWith('Failed to load resource');
    if (isProblem) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (!addresses.includes(new URL(request.url()).origin)) problems.push(`a request to ${request.url()}`);
  });
  return problems;
}

export { expect };
