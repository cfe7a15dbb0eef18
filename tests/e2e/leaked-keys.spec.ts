/** A key that leaked into a log is found in its folder and revoked, through the real window, server and files. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from './fixtures/test.ts';
import { goTo, prepareUser, signInAndActivate } from './fixtures/user.ts';

test('the user’s own API key is found in a folder, and revoked', async ({ desktop, server }, testInfo) => {
  const { page } = desktop;
  await signInAndActivate(page, await prepareUser(server));
  await goTo(page, 'API key');
  await page.getByRole('button', { name: 'Generate API key' }).click();
  const key = await page.getByText(/^svc_live_[\w-]{26}$/).innerText();
  await page.getByRole('button', { name: 'I have saved it' }).click();

  const folder = testInfo.outputPath('lab');
  mkdirSync(join(folder, 'logs', 'März'), { recursive: true });
  writeFileSync(join(folder, 'notes.md'), 'nothing here\n');
  writeFileSync(join(folder, 'logs', 'März', 'recorder.log'), `first line\nkey=${key}\n`);
  await desktop.chooseFile(folder, () => page.getByRole('button', { name: 'Choose a folder…' }).click());
  const found = page.getByRole('list', { name: 'Leaked keys' }).getByRole('listitem');
  await expect(found).toContainText('recorder.log · line 2, column 5');
  await expect(page.getByText('2 files were checked.')).toBeVisible();
  expect(await page.content()).not.toContain(key);

  await found.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(found).toContainText('reported');
  await expect(page.getByRole('alert')).toContainText('Your API key was revoked because it was found in public.');
  await goTo(page, 'Activity');
  await expect(page.getByText('Leaked API key reported')).toHaveCount(1);
});
