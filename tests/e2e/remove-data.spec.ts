/** Removing the data quits the app, and the next start is a first start. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from './fixtures/test.ts';
import { goTo, licenseState, prepareUser, signIn, signInAndActivate } from './fixtures/user.ts';

test('after "Remove data…" neither the session nor the license key is on this computer', async ({
  desktop,
  folder,
  server,
}) => {
  const user = await prepareUser(server);
  await signInAndActivate(desktop.page, user);
  const profile = join(folder, 'profile');
  expect(existsSync(join(profile, 'secrets', 'session.json'))).toBe(true);
  await goTo(desktop.page, 'Settings');
  await expect(desktop.page.getByText(profile, { exact: true })).toBeVisible();
  await desktop.page.getByRole('button', { name: 'Remove data…' }).click();
  await desktop.page.getByRole('button', { name: 'Remove and quit' }).click();
  await expect.poll(() => existsSync(join(profile, 'secrets'))).toBe(false);
  await expect.poll(() => existsSync(join(profile, 'settings.json'))).toBe(false);
  await desktop.restart();
  await signIn(desktop.page, user);
  await expect(licenseState(desktop.page)).toContainText('Enter a license key');
  expect(readFileSync(join(profile, 'settings.json'), 'utf8')).not.toContain(user.email);
});
