/** The app is opened by a link or with an answer file, and works on a device that is never online. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { test as base, expect } from './fixtures/test.ts';
import { featureItem, goTo, licenseState, prepareUser, signIn, type TestUser } from './fixtures/user.ts';

/** Starts the desktop app with `link`, in which `KEY` stands for the user's license key. */
const test = base.extend<{ readonly user: TestUser; readonly link: string }>({
  link: ['latchkey://activate?key=KEY', { option: true }],
  user: async ({ server }, use) => use(await prepareUser(server)),
  desktopParameters: async ({ user, link }, use) => use(['--', link.replace('KEY', user.licenseKey)]),
});

/** Drops a file onto the middle of the window, as the system does. */
async function dropFile(page: Page, path: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const { width, height } = page.viewportSize() ?? { width: 1040, height: 720 };
  const at = { x: width / 2, y: height / 2, data: { items: [], files: [path], dragOperationsMask: 1 } };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await devtools.send('Input.dispatchDragEvent', { type, ...at });
  }
}

function logOf(folder: string): string {
  const logs = join(folder, 'profile', 'logs');
  return readdirSync(logs)
    .map((name) => readFileSync(join(logs, name), 'utf8'))
    .join('');
}

test('a link activates this device once the user has signed in and agreed', async ({ desktop, user, folder }) => {
  const { page } = desktop;
  await expect(page.getByText(/^Sign in to activate this device with the license key SVC-/)).toBeVisible();
  await signIn(page, user);
  const dialog = page.getByRole('alertdialog', { name: 'Activate this device?' });
  await expect(dialog).toContainText(user.email);
  await expect(dialog).not.toContainText(user.licenseKey);
  await dialog.getByRole('button', { name: 'Activate', exact: true }).click();
  await expect(licenseState(page)).toContainText('Everything works');
  await expect(dialog).toHaveCount(0);
  await page.reload();
  await expect(licenseState(page)).toContainText('Everything works');
  await expect(dialog).toHaveCount(0);
  expect(logOf(folder)).not.toContain(user.licenseKey.slice(4));
});

test.describe('a link that is almost valid', () => {
  test.use({ link: 'latchkey://activate?key=KEY&server=https://evil.example' });

  test('shows a single toast, and nothing is sent', async ({ desktop, user, server, folder }) => {
    const { page } = desktop;
    await expect(page.getByText('This link is not one of Latchkey’s.')).toHaveCount(1);
    await signIn(page, user);
    await expect(licenseState(page)).toBeVisible();
    await expect(page.getByRole('alertdialog')).toHaveCount(0);
    expect(await server.admin(['license', 'list'])).toMatchObject([{ id: user.licenseId, activations: 0 }]);
    const log = logOf(folder);
    expect(log.match(/not one of ours/g)).toHaveLength(1);
    expect(log).not.toMatch(/evil|SVC-/);
  });
});

test.describe('offline activation', () => {
  test.use({ link: 'latchkey://open/devices' });

  test('saves a request file and imports the answer, and then needs neither server nor sign-in', async ({
    desktop,
    user,
    server,
    folder,
  }) => {
    // One sign-in, so that the app learns the server's signing key.
    await signIn(desktop.page, user);
    await expect(desktop.page.getByRole('heading', { level: 1, name: 'Devices' })).toBeVisible();
    await expect.poll(() => existsSync(join(folder, 'profile', 'secrets', 'lease-keys.json'))).toBe(true);
    await desktop.page.getByRole('button', { name: user.email }).click();
    await desktop.page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();

    await desktop.page.getByRole('button', { name: 'Offline activation' }).click();
    const dialog = desktop.page.getByRole('dialog', { name: 'Offline activation' });
    await dialog.getByLabel('License key').fill(user.licenseKey.toLowerCase());
    await dialog.getByRole('button', { name: 'Save request file…' }).click();
    await expect(desktop.page.getByText(/The file contains your license key/)).toBeVisible();
    const [name = ''] = readdirSync(desktop.downloads);
    expect(name).toMatch(/^latchkey-request-.+\.json$/);
    const request = join(desktop.downloads, name);
    expect(statSync(request).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(request, 'utf8'))).toMatchObject({ license_key: user.licenseKey });

    const answer = join(folder, 'Bench 4.lease');
    await server.admin(['lease', 'sign', request, '--out', answer]);
    await server.stop();
    await dropFile(desktop.page, answer);
    const importing = desktop.page.getByRole('dialog', { name: 'Import answer' });
    await expect(importing).toContainText('Standard');
    await importing.getByRole('button', { name: 'Import', exact: true }).click();
    await expect(licenseState(desktop.page)).toContainText('Everything works');

    await desktop.restart();
    await expect(licenseState(desktop.page)).toContainText('Everything works');
    await goTo(desktop.page, 'Features');
    await expect(featureItem(desktop.page, 'CSV export')).toContainText('on');
  });
});
