/** Signing up and signing out, in the real window with the real server. */
import { expect, test } from './fixtures/test.ts';
import { featureItem, goTo, licenseState, prepareUser, signInAndActivate } from './fixtures/user.ts';

test('a new user signs up and sees that there is no license yet', async ({ desktop }) => {
  const { page } = desktop;
  await page
    .getByRole('button', { name: 'Create account' })
    .or(page.getByRole('link', { name: 'Create account' }))
    .first()
    .click();
  await page.getByLabel('Email').fill('grace@lab.example');
  await page.getByLabel('Full name').fill('Grace');
  await page.getByLabel('Password', { exact: true }).fill('tangerine ladder 42');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(licenseState(page)).toContainText(/no license/i);
  await goTo(page, 'Features');
  await expect(featureItem(page, 'Real-time visualization')).toContainText('on');
  await expect(featureItem(page, 'CSV export')).toContainText('Standard');
});

test('signing out removes the session, on this device and on all', async ({ desktop, server }) => {
  const user = await prepareUser(server);
  await signInAndActivate(desktop.page, user);
  await desktop.page.getByRole('button', { name: new RegExp(user.email) }).click();
  await desktop.page.getByRole('menuitem', { name: 'Sign out on all devices' }).click();
  await expect(desktop.page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  await desktop.restart();
  await expect(desktop.page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
});
