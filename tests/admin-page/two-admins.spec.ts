/** Dialogs that stay open while somebody else changes the same record: only what was changed in the dialog is saved. */
import { expect, test } from './staff-fixture.ts';

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
