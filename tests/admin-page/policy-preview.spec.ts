/** Before the page asks to confirm a policy change, it says whom the change affects, on a real server. */
import type { Page } from '@playwright/test';
import { expect, test } from './staff-fixture.ts';
import { activate } from './staff-server.ts';

test('a plan that takes a feature away is saved only after the page has said how many devices lose it', async ({
  signedIn: page,
  server,
}) => {
  const user = await server.seedUser('ada@lab.example');
  await activate(server.url, user.email, user.licenseKey, 'Lab PC');
  const csvInStandard = async () => {
    const plans: { name: string; features: Record<string, boolean> }[] = await server.admin(['plan', 'list']);
    return plans.find(({ name }) => name === 'standard')?.features.csv_export;
  };
  await page.getByRole('link', { name: 'Plans', exact: true }).click();
  await page.getByRole('button', { name: 'Change Standard' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('CSV export').uncheck();
  await form.getByLabel('Device limit').fill('1');
  await form.getByRole('button', { name: 'Save' }).click();
  const confirm = page.getByRole('alertdialog', { name: 'Save Standard?' });
  await expect(changes(page)).toHaveText([
    '2 devices lose CSV export.',
    '1 license has more active devices than the plan will allow.',
    'Affected: accounts 1, licenses 1, devices 2.',
  ]);
  await confirm.getByRole('button', { name: 'Cancel' }).click();
  await expect(form.getByLabel('CSV export')).not.toBeChecked();
  expect(await csvInStandard()).toBe(true);
  await form.getByRole('button', { name: 'Save' }).click();
  await confirm.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('The plan standard was saved.')).toBeVisible();
  expect(await csvInStandard()).toBe(false);
});

test('a plan that nobody has is saved without a confirmation', async ({ signedIn: page }) => {
  await page.getByRole('link', { name: 'Plans', exact: true }).click();
  await page.getByRole('button', { name: 'Change Advanced' }).click();
  await page.getByRole('dialog').getByLabel('CSV export').uncheck();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('The plan advanced was saved.')).toBeVisible();
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
});

test('the dialogs that remove a feature and change a license say who loses and gains what', async ({
  signedIn: page,
  server,
}) => {
  const user = await server.seedUser('ada@lab.example');
  await server.admin(['feature', 'set', 'pdf_reports', '--title', 'PDF reports']);
  await server.admin(['plan', 'set', 'standard', '--feature', 'pdf_reports=true']);
  await page.getByRole('link', { name: 'Features', exact: true }).click();
  const item = page.getByRole('listitem', { name: 'PDF reports' });
  await item.getByRole('button', { name: 'Remove' }).click();
  await expect(changes(page)).toHaveText([
    '1 device loses PDF reports.',
    'Affected: accounts 1, licenses 1, devices 1.',
  ]);
  await page.getByRole('button', { name: 'Cancel' }).click();

  await page.goto(`${server.url}/admin#/licenses?open=${user.licenseId}`);
  const record = page.getByRole('complementary', { name: 'Details' });
  await record.getByRole('button', { name: 'Revoke' }).click();
  await expect(changes(page)).toContainText(['1 device loses PDF reports.']);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await record.getByRole('button', { name: 'Suspend' }).click();
  await expect(changes(page)).toContainText(['1 device loses CSV export.', '1 device loses PDF reports.']);
  await page.getByRole('alertdialog').getByRole('button', { name: 'Suspend' }).click();
  await record.getByRole('button', { name: 'Reinstate' }).click();
  await expect(changes(page)).toContainText(['1 device gets CSV export.', '1 device gets PDF reports.']);
});

function changes(page: Page) {
  return page.getByRole('list', { name: 'What this changes' }).getByRole('listitem');
}
