/**
 * A real server with its own data, and a browser with an authenticator, optionally with the first administrator signed
 * in.
 */
import { test as base, expect, type Page } from '@playwright/test';
import type { Settings } from '../harness/environment.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { watchForProblems } from './page-fixture.ts';
import { openStaffServer, type StaffServer } from './staff-server.ts';

export const staffEmail = 'grace@lab.example';
export const staffPassword = 'tangerine ladder 42';

type Fixtures = {
  /** Settings of the server, in addition to those of every spec. */
  readonly settings: Settings;
  /** Origins that the page may send requests to, besides the server's. */
  readonly otherSites: readonly string[];
  readonly server: StaffServer;
  /** The page with the first administrator signed in, without a passkey. */
  readonly signedIn: Page;
};

export const test = base.extend<Fixtures>({
  settings: [{}, { option: true }],
  otherSites: [[], { option: true }],
  server: async ({ settings }, use) => {
    const folder = makeTemporaryFolder();
    const server = await openStaffServer(folder, settings);
    await use(server);
    await server.stop();
    removeFolder(folder);
  },
  page: async ({ page, server, otherSites }, use) => {
    const problems = watchForProblems(page, server.url, ...otherSites);
    await addAuthenticator(page);
    await use(page);
    expect(problems).toEqual([]);
  },
  signedIn: async ({ page, server }, use) => {
    // The request of the welcome screen, which session.spec.ts tests. The page shares the cookies of this request.
    const token = new URLSearchParams((await server.firstLink()).split('?')[1]).get('token');
    const response = await page.request.post(`${server.url}/api/v1/admin/welcome`, {
      headers: { origin: server.url, 'sec-fetch-site': 'same-origin' },
      data: { token, email: staffEmail, password: staffPassword },
    });
    expect(response.ok(), await response.text()).toBe(true);
    await page.goto(`${server.url}/admin`);
    await page.getByRole('link', { name: 'Accounts' }).waitFor();
    await use(page);
  },
});

/** Adds an authenticator whose user is always present and verified. */
export async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** Signs in at the sign-in screen. */
export async function signIn(page: Page, email = staffEmail, password = staffPassword): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

export async function signOut(page: Page, email = staffEmail): Promise<void> {
  await page.getByRole('button', { name: email }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
}

export { expect };
