/** The profile on a full disk: the window says so where something is not saved, and saves it once there is space. */
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canMount, fillDisk, mount, unmount } from '../harness/mount.ts';
import { test as base, expect } from './fixtures/test.ts';
import { goTo, licenseState, prepareUser, signInAndActivate } from './fixtures/user.ts';

const test = base.extend({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the dependencies of a fixture from its first parameter
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-e2e-'));
    const profile = join(folder, 'profile');
    await mkdir(profile);
    mount(profile, 4096);
    await use(folder);
    unmount(profile);
    await rm(folder, { recursive: true, force: true });
  },
});

test.skip(!canMount, 'a disk can be mounted by root only');

test('what cannot be saved on a full disk is named with the reason, everything works, and it is saved once there is space', async ({
  desktop,
  folder,
  server,
}) => {
  const { page } = desktop;
  const user = await prepareUser(server);
  await expect(page.getByRole('heading', { name: 'Sign in to Latchkey' })).toBeVisible();
  const ballast = fillDisk(join(folder, 'profile'), 0);

  await signInAndActivate(page, user);
  await expect(licenseState(page)).toContainText(/^Everything works/);
  const unsaved = page.getByRole('status').filter({ hasText: 'Your sign-in could not be saved on this device.' });
  await expect(unsaved).toContainText('The disk is full. Free up some space.');
  await goTo(page, 'Settings');
  await page.getByLabel('Theme').selectOption('Dark');
  await expect(page.getByRole('alert')).toContainText(
    'Latchkey could not save its data on this device. The disk is full.',
  );

  rmSync(ballast);
  await page.getByRole('button', { name: 'Check now' }).click();
  await expect(unsaved).toHaveCount(0);
  await desktop.restart();
  await expect(licenseState(desktop.page)).toContainText(/^Everything works/);
});
