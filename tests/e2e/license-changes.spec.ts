/** The effect of a change of the license or the subscription on the window at its next check. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './fixtures/test.ts';
import {
  activateElsewhere,
  apiToken,
  featureItem,
  goTo,
  licenseState,
  prepareUser,
  signInAndActivate,
} from './fixtures/user.ts';

test('a revoked license turns the features off at the next check, with the reason', async ({ desktop, server }) => {
  const { page } = desktop;
  const user = await prepareUser(server);
  await signInAndActivate(page, user);
  await server.admin(['license', 'set', user.licenseId, '--status', 'revoked']);
  await page.getByRole('button', { name: 'Check now' }).click();
  await expect(licenseState(page)).toContainText(/revoked/i);
  await goTo(page, 'Features');
  for (const name of ['Session recording', 'CSV export', 'Real-time visualization']) {
    await expect(featureItem(page, name)).toHaveAccessibleDescription(/\boff\b/);
    await expect(featureItem(page, name)).toContainText(/revoked/i);
  }
  await desktop.restart();
  await expect(licenseState(desktop.page)).toContainText(/revoked/i);
});

test('a failed payment is announced while everything still works, and no longer once it is made up for', async ({
  desktop,
  server,
}) => {
  const { page } = desktop;
  const user = await prepareUser(server);
  await signInAndActivate(page, user);
  const notice = page.getByText('The last payment for your subscription failed.');
  const checkWith = async (status: string) => {
    await server.admin(['subscription', 'set', user.email, '--plan', 'standard', '--status', status]);
    await page.getByRole('button', { name: 'Check now' }).click();
  };
  await checkWith('past_due');
  await expect(notice).toBeVisible();
  await expect(licenseState(page)).toContainText('Everything works');
  await checkWith('active');
  await expect(notice).toHaveCount(0);
});

test('after a change to a plan for fewer devices, the window says how many are too many until they are released', async ({
  desktop,
  server,
}) => {
  const { page } = desktop;
  const user = await prepareUser(server);
  await signInAndActivate(page, user);
  const other = { licenseKey: user.licenseKey, number: 7, name: 'Old laptop' };
  await activateElsewhere(server, await apiToken(server, user), other);
  await server.admin(['subscription', 'set', user.email, '--plan', 'free']);
  await page.getByRole('button', { name: 'Check now' }).click();
  const notice = page.getByRole('status').filter({ hasText: '2 devices are in use, but your plan is for 1.' });
  await expect(notice).toContainText('Release the devices that you no longer use.');
  await goTo(page, 'Overview');
  await notice.getByRole('link', { name: 'Manage activations' }).click();
  await page.getByRole('listitem', { name: 'Old laptop' }).getByRole('button', { name: 'Release' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Release' }).click();
  await expect(notice).toHaveCount(0);
});

test('the history is exported as CSV if the plan includes it, and the main process returns a failure otherwise', async ({
  desktop,
  server,
}) => {
  const user = await prepareUser(server);
  await signInAndActivate(desktop.page, user);
  await goTo(desktop.page, 'Activity');
  await desktop.page
    .getByRole('button', { name: /Export/ })
    .first()
    .click();
  await expect(async () => {
    const [file = ''] = (await readdir(desktop.downloads)).filter((name) => name.endsWith('.csv'));
    expect(await readFile(join(desktop.downloads, file), 'utf8')).toContain('HW-');
  }).toPass();

  await server.admin(['subscription', 'set', user.email, '--plan', 'free']);
  await server.admin(['license', 'set', user.licenseId, '--status', 'inactive']);
  await desktop.page.getByRole('button', { name: 'Check now' }).click();
  await expect(licenseState(desktop.page)).toContainText(/suspended/i);
  const result = await desktop.page.evaluate(async () => {
    const { latchkey } = globalThis as unknown as { latchkey: { exportHistory: () => Promise<unknown> } };
    return latchkey.exportHistory();
  });
  expect(result).toMatchObject({ ok: false, failure: { code: 'FEATURE_OFF', feature: 'csv_export' } });
});
