/** The overview, API keys, plans, the audit log and the server, on a real server. */
import { expect, test } from './staff-fixture.ts';

test('the overview shows what needs attention and leads there, and plots with a text alternative', async ({
  signedIn: page,
}) => {
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  const attention = page.getByRole('list', { name: 'Needs attention' });
  await expect(attention.getByText('No installer is published')).toBeVisible();
  await expect(page.getByRole('img', { name: /^Sign-ins over the last 30 days: / })).toBeVisible();
  await attention.getByRole('link', { name: 'Open Installers' }).click();
  await expect(page.getByRole('heading', { name: 'Installers', level: 1 })).toBeVisible();
});

test('a plan is changed, which the audit log records', async ({ signedIn: page }) => {
  await page.getByRole('link', { name: 'Plans', exact: true }).click();
  await page.getByRole('button', { name: 'Change Free' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Device limit').fill('2');
  await dialog.getByLabel('Days that a lease lasts').fill('30');
  await dialog.getByLabel('CSV export').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  const free = page.getByRole('region', { name: 'Free' });
  await expect(free.getByText('2 devices')).toBeVisible();
  await expect(free.getByText('Leases of 30 days')).toBeVisible();
  await expect(free.getByRole('listitem').filter({ hasText: 'CSV export' })).toContainText(': included');

  await page.getByRole('link', { name: 'Audit', exact: true }).click();
  await page.getByLabel('About').selectOption('Plans');
  await page
    .getByRole('link', { name: /plan\.set/ })
    .first()
    .click();
  const record = page.getByRole('complementary', { name: 'Details' });
  await expect(record.getByRole('heading', { name: 'plan.set' })).toBeVisible();
  await expect(record.getByText('plan free')).toBeVisible();
});

test('the server screen shows version, database and settings, and no secret', async ({ signedIn: page }) => {
  await page.getByRole('link', { name: 'Server', exact: true }).click();
  await expect(page.getByText('SQLite')).toBeVisible();
  const settings = page.getByRole('list', { name: 'Settings in force' });
  await expect(settings.getByText('LATCHKEY_RATE_LOGIN')).toBeVisible();
});
