/** Dialogs change only what was changed in them: not what others have changed meanwhile, nor a record of that name. */
import type { Locator, Page } from '@playwright/test';
import { expect, signIn, signOut, test } from './staff-fixture.ts';

/** Opens the account of `ada@lab.example` from the list, and returns its record. */
async function openAccount(page: Page): Promise<Locator> {
  await page.getByRole('link', { name: 'Accounts', exact: true }).click();
  await page.getByRole('link', { name: 'ada@lab.example' }).click();
  return page.getByRole('complementary', { name: 'Details' });
}

test('a plan keeps what another administrator changes while its dialog is open', async ({ signedIn: page, server }) => {
  await page.getByRole('link', { name: 'Plans', exact: true }).click();
  await page.getByRole('button', { name: 'Change Standard' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Device limit').fill('7');
  await dialog.getByLabel('API access').check();
  await server.admin(['plan', 'set', 'standard', '--new-devices-per-month', '4', '--lease-days', '9']);
  await server.admin(['plan', 'set', 'standard', '--feature', 'csv_export=false']);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('The plan standard was saved.')).toBeVisible();

  const plans: { name: string }[] = await server.admin(['plan', 'list']);
  expect(plans.find(({ name }) => name === 'standard')).toMatchObject({
    max_devices: 7,
    new_devices_per_month: 4,
    lease_days: 9,
    features: { csv_export: false, api_access: true },
  });
});

test('a feature keeps the texts that another administrator changes while its dialog is open', async ({
  signedIn: page,
  server,
}) => {
  await server.admin(['feature', 'set', 'pdf_reports', '--title', 'PDF']);
  await page.getByRole('link', { name: 'Features', exact: true }).click();
  await page.getByRole('listitem', { name: 'PDF' }).getByRole('button', { name: 'Change' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('PDF reports');
  await server.admin(['feature', 'set', 'pdf_reports', '--does', 'Prints a session.', '--hidden', 'true']);
  await server.admin(['feature', 'set', 'pdf_reports', '--lang', 'de', '--title', 'PDF-Berichte']);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('The feature pdf_reports was saved.')).toBeVisible();

  expect(await server.admin(['feature', 'list'])).toContainEqual({
    name: 'pdf_reports',
    title: { en: 'PDF reports', de: 'PDF-Berichte' },
    does: { en: 'Prints a session.' },
    hidden: true,
    built_in: false,
  });
});

test('a plan or feature that is added does not change one that has the name already', async ({
  signedIn: page,
  server,
}) => {
  const plans = await server.admin(['plan', 'list']);
  await page.getByRole('link', { name: 'Plans', exact: true }).click();
  await page.getByRole('button', { name: 'Add plan' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('standard');
  await dialog.getByLabel('Device limit').fill('7');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('There is already a plan with this name.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(await server.admin(['plan', 'list'])).toEqual(plans);

  await page.getByRole('link', { name: 'Features', exact: true }).click();
  await page.getByRole('button', { name: 'Add feature' }).click();
  await dialog.getByLabel('Name').fill('csv_export');
  await dialog.getByLabel('Title').fill('Tables');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('There is already a feature with this name.')).toBeVisible();
});

test('a subscription that a payment renews while its dialog is open keeps the paid period', async ({
  signedIn: page,
  server,
}) => {
  await server.seedUser('ada@lab.example');
  const record = await openAccount(page);
  await record.getByRole('button', { name: 'Change subscription' }).click();
  const dialog = page.getByRole('dialog');
  await server.admin([
    'subscription',
    'set',
    'ada@lab.example',
    '--plan',
    'advanced',
    '--period-end',
    '2099-05-05T12:00:00Z',
  ]);
  await dialog.getByLabel('Cancels at the end of the period').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('alert')).toContainText('The subscription has been changed in the meantime.');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(record.getByText('5 May 2099')).toBeVisible();

  await record.getByRole('button', { name: 'Change subscription' }).click();
  await dialog.getByLabel('Cancels at the end of the period').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(record.getByText('Ends', { exact: true })).toBeVisible();
  await expect(record.getByText('5 May 2099')).toBeVisible();
});

test('the terms of a license that somebody else extends are not put back by saving what was shown', async ({
  signedIn: page,
  server,
}) => {
  const { licenseId } = await server.seedUser('ada@lab.example');
  const extend = async (expires_at: string) => {
    const url = `${server.url}/api/v1/admin/licenses/${licenseId}/expiry`;
    const headers = { origin: server.url, 'sec-fetch-site': 'same-origin' };
    expect((await page.request.put(url, { headers, data: { expires_at } })).status()).toBe(200);
  };
  await extend('2098-01-01T12:00:00Z');
  await page.goto(`${server.url}/admin#/licenses?open=${licenseId}`);
  const record = page.getByRole('complementary', { name: 'Details' });
  await record.getByRole('button', { name: 'Change', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('Expires')).toHaveValue('2098-01-01');
  await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled();
  await extend('2099-01-01T12:00:00Z');
  await dialog.getByLabel('Expires').press('Enter');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect((await server.admin(['license', 'list']))[0]).toMatchObject({ expires_at: '2099-01-01T12:00:00.000Z' });
});

test('the record of an account that somebody else deletes says so, once an action shows that it is gone', async ({
  signedIn: page,
  server,
}) => {
  await server.seedUser('ada@lab.example');
  const record = await openAccount(page);
  await record.getByRole('button', { name: 'End all sessions' }).click();
  await server.admin(['user', 'delete', 'ada@lab.example']);
  await page.getByRole('alertdialog').getByRole('button', { name: 'End all sessions' }).click();
  await expect(record.getByText('It does not exist, or has been deleted.')).toBeVisible();
  await expect(page.getByRole('table', { name: 'Accounts' })).not.toContainText('ada@lab.example');
});

test('an expired subscription that is extended gives access again', async ({ signedIn: page, server }) => {
  await server.seedUser('ada@lab.example');
  const past = ['--plan', 'standard', '--period-end', '2020-05-05T12:00:00Z'];
  await server.admin(['subscription', 'set', 'ada@lab.example', ...past]);
  const record = await openAccount(page);
  await record.getByRole('button', { name: 'Change subscription' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByLabel('Status')).toHaveValue('expired');
  await dialog.getByLabel('Period ends').fill('2099-05-05');
  await expect(dialog.getByLabel('Status')).toHaveValue('active');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(record.getByText('Renews', { exact: true })).toBeVisible();
  await expect(record.getByRole('region', { name: 'Subscription' }).getByText('Active', { exact: true })).toBeVisible();
});

test('a member whose role is lowered in the middle of an action is told so, and is no longer offered it', async ({
  signedIn: page,
  server,
}) => {
  const { licenseId } = await server.seedUser('ada@lab.example');
  const password = 'quiet harbor lantern 47';
  await server.admin(['user', 'create', '--email', 'hedy@lab.example', '--password-stdin'], password);
  await server.admin(['staff', 'add', 'hedy@lab.example', '--role', 'support']);
  await signOut(page);
  await signIn(page, 'hedy@lab.example', password);
  await page.getByRole('button', { name: 'Not now' }).click();
  await page.goto(`${server.url}/admin#/licenses?open=${licenseId}`);
  await page.getByRole('button', { name: 'Suspend' }).click();
  await server.admin(['staff', 'add', 'hedy@lab.example', '--role', 'viewer']);
  const dialog = page.getByRole('alertdialog');
  await dialog.getByRole('button', { name: 'Suspend' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Your role does not include this.');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('button', { name: 'hedy@lab.example' })).toContainText('Viewer');
  await expect(page.getByRole('button', { name: 'Suspend' })).toHaveCount(0);
});
