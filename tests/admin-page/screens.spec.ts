/** The overview, plans, the audit log and the server, on a real server. */
import { test as sampleTest } from './page-fixture.ts';
import { sampleAudit, sampleOverview } from './sample-server.ts';
import { sampleSession } from './sample-staff.ts';
import { expect, test } from './staff-fixture.ts';

test('the overview shows what needs attention and links to it, and its charts have a text alternative', async ({
  signedIn: page,
}) => {
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  const attention = page.getByRole('list', { name: 'Needs attention' });
  await expect(attention.getByText('No installer is published')).toBeVisible();
  await expect(page.getByRole('img', { name: /^Sign-ins over the last 30 days: / })).toBeVisible();
  await attention.getByRole('link', { name: 'Open Installers' }).click();
  await expect(page.getByRole('heading', { name: 'Installers', level: 1 })).toBeVisible();
});

test('a plan can be changed, which the audit log records', async ({ signedIn: page }) => {
  await page.getByRole('link', { name: 'Plans', exact: true }).click();
  await page.getByRole('button', { name: 'Change Free' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Device limit').fill('2');
  await dialog.getByLabel('Days that a lease lasts').fill('30');
  await dialog.getByLabel('CSV export').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  // The plan is in use, so the page first says whom the change affects.
  await page.getByRole('alertdialog').getByRole('button', { name: 'Save' }).click();
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

test('the fields of a plan that the server would reject are marked, and the first one is focused', async ({
  signedIn: page,
}) => {
  await page.getByRole('link', { name: 'Plans', exact: true }).click();
  await page.getByRole('button', { name: 'Add plan' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Campus Wide');
  await dialog.getByLabel('Device limit').fill('1.5');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const name = dialog.getByLabel('Name');
  await expect(name).toBeFocused();
  await expect(name).toHaveAttribute('aria-invalid', 'true');
  await expect(name).toHaveAccessibleDescription(/^Use 1 to 50 lower-case letters/);
  await expect(dialog.getByLabel('Device limit')).toHaveAccessibleDescription(
    'Enter a whole number from 0 to 1,000,000.',
  );
  await expect(dialog.getByLabel('New devices a month')).not.toHaveAttribute('aria-invalid');
  await name.fill('campus-wide');
  await dialog.getByLabel('Device limit').fill('1');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('The plan campus-wide was saved.')).toBeVisible();
});

sampleTest(
  'an action in the audit log is not broken, and a long email address is readable in the sidebar',
  async ({ page, open }) => {
    const session = sampleSession();
    const email = 'a-rather-long-name@neurophysiology.example';
    const audit = sampleAudit();
    const events = audit.events.map((event) => ({ ...event, action: 'account.password_reset', actor: email }));
    await open({
      hash: `#/audit?open=${audit.events[2]?.id}`,
      answers: { audit: { ...audit, events }, staffSession: { ...session, staff: { ...session.staff, email } } },
    });
    const action = page.locator('.row-title').first();
    await action.waitFor();
    const lines = await action.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    });
    expect(lines).toBe(1);
    const account = page.getByRole('button', { name: email });
    const shown = account.locator('.account-email');
    expect(await shown.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBeLessThanOrEqual(
      0,
    );
    await account.click();
    await expect(page.getByRole('menu').getByText(email)).toBeVisible();
  },
);

test('the server screen shows version, database and settings, and no secret', async ({ signedIn: page }) => {
  await page.getByRole('link', { name: 'Server', exact: true }).click();
  await expect(page.getByText('SQLite')).toBeVisible();
  const settings = page.getByRole('list', { name: 'Settings in force' });
  await expect(settings.getByText('LATCHKEY_RATE_LOGIN')).toBeVisible();
});

sampleTest('a count of which only a lower bound is known says so', async ({ page, open }) => {
  const params = { count: 1000, at_least: 1 };
  const attention = [{ kind: 'subscriptions_past_due' as const, params }];
  await open({ hash: '#/overview', answers: { overview: { ...sampleOverview(), attention } } });
  await expect(page.getByText('1,000+ subscriptions are past due.')).toBeVisible();
});
