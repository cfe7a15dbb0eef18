/** The features of every list: keyset pagination, search and filters in the address, columns, CSV, and the keyboard. */
import { readFile } from 'node:fs/promises';
import { fakeApi } from './fake-api.ts';
import { test as sampleTest } from './page-fixture.ts';
import { sampleAccount, sampleAccounts, sampleDevices, sampleLicenses } from './sample-records.ts';
import { sampleAudit } from './sample-server.ts';
import { expect, staffPassword, test } from './staff-fixture.ts';

async function createAccounts(
  admin: (words: readonly string[], stdin?: string) => Promise<unknown>,
  count: number,
): Promise<void> {
  for (let index = 1; index <= count; index += 1) {
    const email = `user-${String(index).padStart(3, '0')}@lab.example`;
    await admin(['user', 'create', '--email', email, '--password-stdin'], 'quiet harbor lantern 47');
  }
}

test('pages lead forward and back, and the CSV file has every row', async ({ signedIn: page, server }) => {
  for (let count = 0; count < 105; count += 1) await server.admin(['license', 'issue']);
  await page.goto(`${server.url}/admin#/licenses`);
  const rows = page.getByRole('row');
  await expect(rows).toHaveCount(51);
  await expect(page.getByText('105 entries')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Previous' })).toBeDisabled();
  const first = await rows.nth(1).getByRole('link').innerText();
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.getByText('105 entries · Page 2')).toBeVisible();
  await expect(rows.nth(1).getByRole('link')).not.toHaveText(first);
  await page.getByRole('button', { name: 'Next' }).click();
  await expect(rows).toHaveCount(6);
  await expect(page.getByRole('button', { name: 'Next' })).toBeDisabled();
  await page.getByRole('button', { name: 'Previous' }).click();
  await expect(rows).toHaveCount(51);
  await page.reload();
  await expect(page.getByText('105 entries · Page 2')).toBeVisible();
  await page.getByRole('button', { name: 'Previous' }).click();
  await expect(rows.nth(1).getByRole('link')).toHaveText(first);

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'CSV', exact: true }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.csv$/);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split(/\r?\n/);
  expect(lines).toHaveLength(106);
  expect(lines[0]).toContain('key_preview');
});

test('search and filters are in the address, and Back restores the previous ones', async ({
  signedIn: page,
  server,
}) => {
  await createAccounts(server.admin, 3);
  await server.admin(['subscription', 'set', 'user-002@lab.example', '--plan', 'advanced']);
  await page.goto(`${server.url}/admin#/accounts`);
  await page.getByLabel('Search').fill('user-00');
  await expect(page.getByRole('row')).toHaveCount(4);
  await expect(page).toHaveURL(/search=user-00/);
  await page.getByLabel('Subscription').selectOption('active');
  await expect(page.getByRole('row')).toHaveCount(2);
  await page.goBack();
  await expect(page.getByRole('row')).toHaveCount(4);
  await page.goForward();
  await expect(page.getByRole('row')).toHaveCount(2);
  await page.getByRole('link', { name: 'user-002@lab.example' }).click();
  await expect(page.getByRole('complementary')).toBeVisible();
  const address = page.url();
  await page.goto('about:blank');
  await page.goto(address);
  await expect(page.getByLabel('Search')).toHaveValue('user-00');
  await expect(page.getByRole('complementary', { name: 'Details' }).getByText('Advanced')).toBeVisible();
  await page.getByRole('button', { name: 'Close details' }).click();
  await page.getByLabel('Search').fill('nobody');
  await expect(page.getByText('Nothing found')).toBeVisible();
  await page.getByRole('button', { name: 'Clear search and filters' }).click();
  await expect(page.getByRole('row')).toHaveCount(5);
  await expect(page.getByLabel('Search')).toHaveValue('');
});

test('a license key in the search does not become part of the address', async ({ signedIn: page, server }) => {
  const { licenseKey } = await server.seedUser('ada@lab.example');
  await page.goto(`${server.url}/admin#/licenses`);
  await page.getByLabel('Search').pressSequentially(licenseKey, { delay: 40 });
  await expect(page).toHaveURL(new RegExp(`search=${licenseKey.slice(0, 8)}\\.\\.\\.${licenseKey.slice(-4)}`));
  await expect(page.getByRole('row')).toHaveCount(2);
  expect(page.url()).not.toContain(licenseKey.slice(9, 13));
});

sampleTest('columns are chosen once for this browser', async ({ page, open }) => {
  await open({ hash: '#/accounts' });
  const table = page.getByRole('table');
  await expect(table.getByRole('columnheader', { name: 'Created' })).toBeVisible();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Created' }).uncheck();
  await page.getByRole('checkbox', { name: 'ID' }).check();
  await page.keyboard.press('Escape');
  await expect(table.getByRole('columnheader', { name: 'Created' })).toHaveCount(0);
  await page.reload();
  await expect(table.getByRole('columnheader', { name: 'ID' })).toBeVisible();
  await expect(table.getByRole('columnheader', { name: 'Created' })).toHaveCount(0);
});

sampleTest('the whole way from the list to a record and back is on the keyboard', async ({ page, open }) => {
  await open({ hash: '#/licenses' });
  await page.getByRole('row').nth(1).waitFor();
  await page.keyboard.press('/');
  await expect(page.getByLabel('Search')).toBeFocused();
  await page.getByRole('link', { name: /^SVC-/ }).first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const third = page.getByRole('row').nth(3).getByRole('link');
  await expect(third).toBeFocused();
  await page.keyboard.press('Enter');
  const record = page.getByRole('complementary', { name: 'Details' });
  await expect(record).toBeFocused();
  await page.getByRole('button', { name: 'Suspend' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Suspend' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alertdialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Suspend' })).toBeFocused();
  await expect(record).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(record).toHaveCount(0);
  await expect(third).toBeFocused();
});

sampleTest('every place has its link, and the first ten their numbers on the keyboard', async ({ page, open }) => {
  await open();
  const names = [
    'Overview',
    'Accounts',
    'Licenses',
    'Devices',
    'API keys',
    'Plans',
    'Features',
    'Installers',
    'Audit',
    'Webhooks',
    'Server',
  ];
  for (const [index, name] of names.entries()) {
    await page.getByRole('link', { name, exact: true }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
    await page.keyboard.press(`Control+${(index + 2) % 10}`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(names[(index + 1) % 10] ?? '');
  }
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('option', { name: 'Go to Server' })).not.toContainText(/\d/);
});

sampleTest(
  'while the server is away the rows stay, and it is noticed when it is back',
  async ({ page, open, context }) => {
    await open({ hash: '#/licenses' });
    await expect(page.getByRole('row')).toHaveCount(15);
    await page.unrouteAll();
    await context.setOffline(true);
    await page.getByLabel('Status').selectOption('active');
    await expect(page.getByText(/The server has not responded since/)).toBeVisible();
    await expect(page.getByRole('row')).toHaveCount(15);
    await fakeApi(page, { licenses: sampleLicenses(2) });
    await context.setOffline(false);
    await expect(page.getByRole('row')).toHaveCount(3);
    await expect(page.getByText(/The server has not responded since/)).toHaveCount(0);
  },
);

sampleTest('rows of a page that is empty but not the last one are looked for on the next', async ({ page, open }) => {
  await open({ hash: '#/licenses' });
  const { accounts } = sampleAccounts(2);
  await page.route('**/api/v1/admin/accounts*', (route) => {
    const isNext = new URL(route.request().url()).searchParams.get('after') === 'second';
    const total = { count: 2, is_exact: false };
    return route.fulfill({ json: isNext ? { accounts, next: null, total } : { accounts: [], next: 'second', total } });
  });
  await page.getByRole('link', { name: 'Accounts', exact: true }).click();
  await expect(page.getByRole('row')).toHaveCount(3);
});

for (const locale of ['en-GB', 'de-DE']) {
  sampleTest.describe(() => {
    sampleTest.use({ locale });
    sampleTest(`no column is cut off beside an open record: ${locale}`, async ({ page, open }) => {
      const email = 'katherine.johnson1997@neurophysiology.example';
      const [licenses, devices, audit] = [sampleLicenses(3), sampleDevices(3), sampleAudit()];
      const answers = {
        licenses: { ...licenses, licenses: licenses.licenses.map((row) => ({ ...row, email, max_activations: 10 })) },
        devices: { ...devices, devices: devices.devices.map((row) => ({ ...row, email })) },
        audit: { ...audit, events: audit.events.map((row) => ({ ...row, actor: email })) },
      };
      for (const list of ['licenses', 'devices', 'audit']) {
        await open({ hash: `#/${list}?open=some`, answers });
        const frame = page.locator('.table-frame');
        await expect(frame).toContainText(email);
        expect(await frame.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), list).toBe(0);
      }
    });
  });
}

sampleTest('a name of 200 letters is not cut off in the open record', async ({ page, open }) => {
  const full_name = 'w'.repeat(200);
  await open({ hash: '#/accounts?open=some', answers: { account: { ...sampleAccount(), full_name } } });
  const record = page.getByRole('complementary', { name: 'Details' });
  await expect(record.getByText(full_name)).toBeVisible();
  expect(await record.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
});

test('the CSV file of a list is downloaded after a new sign-in if the session has ended', async ({
  signedIn: page,
  server,
}) => {
  await server.admin(['license', 'issue']);
  await page.goto(`${server.url}/admin#/licenses`);
  await page.getByRole('row').nth(1).waitFor();
  await page.context().clearCookies();
  await page.getByRole('link', { name: 'CSV' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByLabel('Password', { exact: true }).fill(staffPassword);
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click();
  expect(await readFile(await (await download).path(), 'utf8')).toContain('SVC-');
});
