/** The features screen, on a real server: custom features are added, put into plans, hidden and removed. */
import { expect, test } from './staff-fixture.ts';

test('a feature is added with a text in another language, put into a plan, and disappears from the plan when it is removed', async ({
  signedIn: page,
  server,
}) => {
  await page.getByRole('link', { name: 'Features', exact: true }).click();
  await page.getByRole('button', { name: 'Add feature' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('PDF');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByLabel('Name')).toBeFocused();
  await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription(/^Use 1 to 50 lower-case letters/);
  await dialog.getByLabel('Name').fill('pdf_reports');
  await dialog.getByLabel('Title').fill('PDF reports');
  await dialog.getByLabel('What it does').fill('Prints a session as a report.');
  await dialog.getByLabel('Language of the texts').selectOption('German');
  await dialog.getByLabel('Title').fill('PDF-Berichte');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const item = page.getByRole('listitem', { name: 'PDF reports' });
  await expect(item).toContainText('In no plan.');
  expect(await server.admin(['feature', 'list'])).toContainEqual({
    name: 'pdf_reports',
    title: { en: 'PDF reports', de: 'PDF-Berichte' },
    does: { en: 'Prints a session as a report.' },
    hidden: false,
    built_in: false,
  });

  await page.getByRole('link', { name: 'Plans', exact: true }).click();
  await page.getByRole('button', { name: 'Change Standard' }).click();
  await page.getByRole('dialog').getByLabel('PDF reports').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  const standard = page.getByRole('region', { name: 'Standard' });
  await expect(standard.getByRole('listitem').filter({ hasText: 'PDF reports' })).toContainText(': included');

  await page.getByRole('link', { name: 'Features', exact: true }).click();
  await expect(item).toContainText('In Standard.');
  await item.getByRole('button', { name: 'Remove' }).click();
  const confirm = page.getByRole('alertdialog', { name: 'Remove pdf_reports?' });
  await expect(confirm).toContainText('These plans lose it: Standard.');
  await confirm.getByRole('textbox').fill('pdf_reports');
  await confirm.getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('The feature pdf_reports was removed.')).toBeVisible();
  await expect(item).toHaveCount(0);
});

test('a feature of the interface can be hidden, which removes it from the plans, but not removed', async ({
  signedIn: page,
}) => {
  await page.getByRole('link', { name: 'Features', exact: true }).click();
  const item = page.getByRole('listitem', { name: 'Mental state detection' });
  await expect(item.getByRole('button', { name: 'Remove' })).toHaveCount(0);
  await item.getByRole('button', { name: 'Change' }).click();
  await page.getByRole('dialog').getByLabel('Hide it').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(item).toContainText('hidden');
  await page.getByRole('link', { name: 'Plans', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Advanced' })).toBeVisible();
  await expect(page.getByText('Mental state detection')).toHaveCount(0);
});
