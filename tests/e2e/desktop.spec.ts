/** What the desktop app provides to the window: file dialogs, dropped files, the clipboard, reloads. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures/test.ts';
import { goTo, licenseState, prepareUser, signIn, signInAndActivate } from './fixtures/user.ts';

/** Drops a file with its path, as the system does. */
async function dropFile(page: Page, path: string): Promise<void> {
  const box = await page.getByRole('region', { name: 'Drop an installer file here' }).boundingBox();
  if (box === null) throw new Error('There is no drop area.');
  const devtools = await page.context().newCDPSession(page);
  const at = { x: box.x + box.width / 2, y: box.y + 12, data: { items: [], files: [path], dragOperationsMask: 1 } };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await devtools.send('Input.dispatchDragEvent', { type, ...at });
  }
}

test('a chosen file is verified, and so is a dropped one', async ({ desktop, server, folder }) => {
  const genuine = join(folder, 'Latchkey "4.2.0" für alle.AppImage');
  const changed = join(folder, 'changed.AppImage');
  writeFileSync(genuine, Buffer.alloc(3_000_000, 'genuine'));
  writeFileSync(changed, Buffer.alloc(3_000_000, 'changed'));
  await server.admin(['installer', 'publish', '4.2.0', '--linux-amd64', genuine]);
  await signIn(desktop.page, await prepareUser(server));
  await expect(licenseState(desktop.page)).toBeVisible();
  await goTo(desktop.page, 'Installer');
  await desktop.chooseFile(genuine, () => desktop.page.getByRole('button', { name: 'Choose a file…' }).click());
  await expect(desktop.page.getByText('Genuine', { exact: true })).toBeVisible();
  await expect(desktop.page.getByText('Latchkey "4.2.0" für alle.AppImage')).toBeVisible();
  await dropFile(desktop.page, changed);
  await expect(desktop.page.getByText('Not genuine', { exact: true })).toBeVisible();
  await dropFile(desktop.page, genuine);
  await expect(desktop.page.getByText('Genuine', { exact: true })).toBeVisible();
});

test('a new API key is copied by the main process', async ({ desktop, server }) => {
  await signInAndActivate(desktop.page, await prepareUser(server));
  await goTo(desktop.page, 'API key');
  await desktop.page.getByRole('button', { name: 'Generate API key' }).click();
  const shown = await desktop.page.getByText(/^svc_live_[\w-]{26}$/).textContent();
  await desktop.page.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect.poll(() => desktop.page.evaluate(() => navigator.clipboard.readText())).toBe(shown);
});

test('a reloaded window shows the state again', async ({ desktop, server }) => {
  await signIn(desktop.page, await prepareUser(server));
  await expect(licenseState(desktop.page)).toBeVisible();
  await desktop.page.reload();
  await expect(licenseState(desktop.page)).toBeVisible();
});

test('the window never violates its security policy', async ({ desktop, server }) => {
  const violations: string[] = [];
  desktop.page.on('console', (message) => {
    if (/content security policy|refused to/i.test(message.text())) violations.push(message.text());
  });
  await signIn(desktop.page, await prepareUser(server));
  await expect(licenseState(desktop.page)).toBeVisible();
  for (const route of ['Features', 'Devices', 'API key', 'Installer', 'Activity', 'Settings', 'Overview']) {
    await goTo(desktop.page, route);
  }
  expect(violations).toEqual([]);
});
