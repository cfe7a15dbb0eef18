/** A user's journey, in the real window with the real server. */
import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './fixtures/test.ts';
import {
  activateElsewhere,
  apiToken,
  enterLicenseKey,
  featureItem,
  goTo,
  licenseState,
  prepareUser,
  signIn,
  signInAndActivate,
} from './fixtures/user.ts';

test('a wrong password shows an error, and the right one signs in', async ({ desktop, server }) => {
  const user = await prepareUser(server);
  await signIn(desktop.page, { email: user.email, password: 'not the password' });
  await expect(desktop.page.getByRole('alert')).toContainText(/password/i);
  await signIn(desktop.page, user);
  await expect(licenseState(desktop.page)).toContainText('not activated');
});

test('activating this device turns on the features of the plan, and names the plan that has the others', async ({
  desktop,
  server,
}) => {
  const { page } = desktop;
  await signInAndActivate(page, await prepareUser(server));
  await expect(page.getByRole('list', { name: 'Devices' }).getByRole('listitem')).toContainText('this device');
  await goTo(page, 'Features');
  const onStandard = [
    'Real-time visualization',
    'OSC/LSL streaming',
    'Session recording',
    'CSV export',
    'API access',
    'Signal filtering',
  ];
  for (const name of onStandard) await expect(featureItem(page, name)).toHaveAccessibleDescription(/\bon\b/);
  for (const name of ['Custom preprocessing', 'Mental state detection']) {
    await expect(featureItem(page, name)).toHaveAccessibleDescription(/\boff\b/);
    await expect(featureItem(page, name)).toContainText('Advanced');
  }
});

test('an API key is shown once, works over HTTP, and stops working when it is replaced', async ({
  desktop,
  server,
}) => {
  const { page } = desktop;
  await signInAndActivate(page, await prepareUser(server));
  await goTo(page, 'API key');
  await page.getByRole('button', { name: 'Generate API key' }).click();
  const key = (await page.getByText(/svc_live_[\w-]{26}/).textContent())?.match(/svc_live_[\w-]{26}/)?.[0] ?? '';
  expect(await validateApiKey(server.url, key)).toMatchObject({ valid: true, plan: 'standard', source: 'new' });

  await page.getByRole('button', { name: 'I have saved it' }).click();
  await expect(page.getByText(key)).toHaveCount(0);
  await expect(page.getByText(key.slice(0, 13))).toBeVisible();

  await page.getByRole('button', { name: 'Replace key' }).click();
  await page.getByRole('button', { name: 'Replace', exact: true }).click();
  await expect(page.getByText(/svc_live_[\w-]{26}/)).toBeVisible();
  expect(await validateApiKey(server.url, key)).toMatchObject({ valid: false, code: 'INVALID_API_KEY' });
});

test('heartbeats are sent automatically, and the server’s warnings are shown', async ({ desktop, server }) => {
  const { page } = desktop;
  const user = await prepareUser(server);
  await signIn(page, user);
  // The server warns about a device that is not activated on the account's license.
  await expect(page.getByText(/not activated/i).first()).toBeVisible();
  await goTo(page, 'Activity');
  await expect(page.getByText(/heartbeat/i).first()).toBeVisible();
  await enterLicenseKey(page, user.licenseKey);
  await expect(licenseState(page)).toContainText('Everything works');
});

test('an installer is genuine when its hash is published, and not when one byte differs', async ({
  desktop,
  server,
  folder,
}) => {
  const { page } = desktop;
  const content = randomBytes(3_000_000);
  const genuine = join(folder, 'Latchkey-4.2.0.AppImage');
  const tampered = join(folder, 'Latchkey-tampered.AppImage');
  await writeFile(genuine, content);
  await writeFile(tampered, Buffer.concat([content.subarray(0, -1), Buffer.of((content.at(-1) ?? 0) ^ 1)]));
  const hash = createHash('sha256').update(content).digest('hex');
  await signInAndActivate(page, await prepareUser(server));
  await goTo(page, 'Installer');

  await desktop.chooseFile(genuine, () => page.getByRole('button', { name: /^Choose a file/ }).click());
  await expect(page.getByText(/publish/i).first()).toBeVisible();

  await server.admin(['installer', 'publish', '4.2.0', '--linux-amd64', `sha256:${hash}`]);
  await desktop.chooseFile(genuine, () => page.getByRole('button', { name: /^Choose a file/ }).click());
  await expect(page.getByText('Genuine', { exact: false }).first()).toContainText(/Genuine/);
  await expect(page.getByText(/4\.2\.0/).first()).toBeVisible();

  await desktop.chooseFile(tampered, () => page.getByRole('button', { name: /^Choose a file/ }).click());
  await expect(page.getByText('Not genuine').first()).toBeVisible();
});

test('at the device limit the user’s devices are listed, and one of them can be replaced by this one', async ({
  desktop,
  server,
}) => {
  const { page } = desktop;
  const user = await prepareUser(server);
  const token = await apiToken(server, user);
  for (const [index, name] of ['Studio Mac', 'Lab laptop', 'Old tower'].entries()) {
    await activateElsewhere(server, token, { licenseKey: user.licenseKey, number: index + 1, name });
  }
  await signIn(page, user);
  await enterLicenseKey(page, user.licenseKey);
  const dialog = page.getByRole('dialog', { name: 'Device limit reached' }).or(page.getByRole('alertdialog'));
  await expect(dialog).toContainText('Old tower');
  await dialog
    .getByRole('listitem')
    .filter({ hasText: 'Lab laptop' })
    .getByRole('button', { name: 'Replace' })
    .or(dialog.getByRole('row').filter({ hasText: 'Lab laptop' }).getByRole('button', { name: 'Replace' }))
    .first()
    .click();
  await expect(licenseState(page)).toContainText('Everything works');
  const devices = page.getByRole('list', { name: 'Devices' });
  await expect(devices).toContainText('this device');
  await expect(devices).toContainText('Studio Mac');
  await expect(devices).not.toContainText('Lab laptop');
});

test('with the server stopped the window says so and everything still works, and it notices automatically when the server is back', async ({
  desktop,
  server,
}) => {
  const { page } = desktop;
  await signInAndActivate(page, await prepareUser(server));
  await server.stop();
  await page.getByRole('button', { name: 'Check now' }).click();
  await expect(licenseState(page)).toContainText(/offline/i);
  await goTo(page, 'Features');
  await expect(featureItem(page, 'Session recording')).toHaveAccessibleDescription(/\bon\b/);

  await desktop.restart();
  await expect(licenseState(desktop.page)).toContainText(/offline/i);
  await goTo(desktop.page, 'Features');
  await expect(featureItem(desktop.page, 'Session recording')).toHaveAccessibleDescription(/\bon\b/);

  await server.start();
  await expect(licenseState(desktop.page)).toContainText('Everything works', { timeout: 240_000 });
});

async function validateApiKey(serverUrl: string, apiKey: string): Promise<unknown> {
  const response = await fetch(`${serverUrl}/api/v1/metrics/api-key/validate`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey },
  });
  return response.json();
}
