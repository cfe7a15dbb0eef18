/**
 * An unconfirmed address is shown in the list of accounts, in the account's record and when a license is issued to it.
 */
import { test } from './mail-fixture.ts';
import { expect } from './staff-fixture.ts';
import { userPassword } from './staff-server.ts';

test('staff see that an address is not confirmed', async ({ signedIn: page, server }) => {
  const email = 'ada@lab.example';
  const body = JSON.stringify({ email, password: userPassword });
  const headers = { 'content-type': 'application/json' };
  const signedUp = await fetch(`${server.url}/api/v1/auth/signup`, { method: 'POST', headers, body });
  expect(signedUp.status).toBe(200);
  await server.admin(['user', 'create', '--email', 'bob@lab.example', '--password-stdin'], userPassword);

  await page.goto(`${server.url}/admin#/accounts`);
  await expect(page.getByRole('row', { name: email })).toContainText('Address not confirmed');
  await expect(page.getByRole('row', { name: 'bob@lab.example' })).not.toContainText('Address not confirmed');
  await page.getByText(email).click();
  await expect(page.getByRole('heading', { name: email }).locator('..')).toContainText('Address not confirmed');

  await page.goto(`${server.url}/admin#/licenses?new=1`);
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email').fill(email);
  await dialog.getByRole('button', { name: 'Issue license' }).click();
  await expect(dialog.getByText(`The address ${email} is not confirmed`)).toBeVisible();
  await dialog.getByRole('button', { name: 'I have saved it' }).click();

  await page.goto(`${server.url}/admin#/licenses?new=1&again`);
  await dialog.getByLabel('Email').fill('bob@lab.example');
  await dialog.getByRole('button', { name: 'Issue license' }).click();
  await expect(dialog.getByLabel('License key')).toBeVisible();
  await expect(dialog.getByText('Address not confirmed')).toHaveCount(0);
});
