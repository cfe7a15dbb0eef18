/** The whole journey of a person, in the real window against the real server. */
import { createHash, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  activateElsewhere,
  apiToken,
  enterLicenseKey,
  featureItem,
  goTo,
  licenseState,
  preparePerson,
  signIn,
  signInAndActivate,
} from './fixtures/person.ts';
import { expect, test } from './fixtures/test.ts';

test('a wrong password is refused with a sentence, and the right one signs in', async ({ desktop, server }) => {
  const person = await preparePerson(server);
  await signIn(desktop.page, { email: person.email, password: 'not the password' });
  await expect(desktop.page.getByRole('alert')).toContainText(/password/i);
  await signIn(desktop.page, person);
  await expect(licenseState(desktop.page)).toContainText('not activated');
});

test('a new person signs up and is told that there is no license yet', async ({ desktop }) => {
  const { page } = desktop;
  await page
    .getByRole('button', { name: 'Create account' })
    .or(page.getByRole('link', { name: 'Create account' }))
    .first()
    .click();
  await page.getByLabel('Email').fill('grace@lab.example');
  await page.getByLabel('Full name').fill('Grace');
  await page.getByLabel('Password', { exact: true }).fill('tangerine ladder 42');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(licenseState(page)).toContainText(/no license/i);
  await goTo(page, 'Features');
  await expect(featureItem(page, 'Real-time visualization')).toContainText('on');
  await expect(featureItem(page, 'CSV export')).toContainText('Standard');
});

test('activating this device switches the features of the plan on, and names the plan of the others', async ({
  desktop,
  server,
}) => {
  const { page } = desktop;
  await signInAndActivate(page, await preparePerson(server));
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
  await signInAndActivate(page, await preparePerson(server));
  await goTo(page, 'API key');
  await page.getByRole('button', { name: 'Generate API key' }).click();
  const key = (await page.getByText(/svc_live_[\w-]{26}/).textContent())?.match(/svc_live_[\w-]{26}/)?.[0] ?? '';
  expect(await keyVerdict(server.url, key)).toMatchObject({ valid: true, plan: 'standard', source: 'new' });

  await page.getByRole('button', { name: 'I have saved it' }).click();
  await expect(page.getByText(key)).toHaveCount(0);
  await expect(page.getByText(key.slice(0, 13))).toBeVisible();

  await page.getByRole('button', { name: 'Replace key' }).click();
  await page.getByRole('button', { name: 'Replace', exact: true }).click();
  await expect(page.getByText(/svc_live_[\w-]{26}/)).toBeVisible();
  expect(await keyVerdict(server.url, key)).toMatchObject({ valid: false, code: 'INVALID_API_KEY' });
});

test('heartbeats arrive by themselves, and what the server finds unusual is shown', async ({ desktop, server }) => {
  const { page } = desktop;
  const person = await preparePerson(server);
  await signIn(page, person);
  // A device that is not activated on the account's license is what the server warns of.
  await expect(page.getByText(/not activated/i).first()).toBeVisible();
  await goTo(page, 'Activity');
  await expect(page.getByText(/heartbeat/i).first()).toBeVisible();
  await enterLicenseKey(page, person.licenseKey);
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
  await signInAndActivate(page, await preparePerson(server));
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

test('at the device limit the own devices are listed, and one button swaps one for this', async ({
  desktop,
  server,
}) => {
  const { page } = desktop;
  const person = await preparePerson(server);
  const token = await apiToken(server, person);
  for (const [index, name] of ['Studio Mac', 'Lab laptop', 'Old tower'].entries()) {
    await activateElsewhere(server, token, { licenseKey: person.licenseKey, number: index + 1, name });
  }
  await signIn(page, person);
  await enterLicenseKey(page, person.licenseKey);
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

test('with the server stopped the window says so and everything works on; it notices by itself when it is back', async ({
  desktop,
  server,
}) => {
  const { page } = desktop;
  await signInAndActivate(page, await preparePerson(server));
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
  await expect(licenseState(desktop.page)).toContainText('Everything works', { timeout: 90_000 });
});

test('a revoked license takes the features away at the next check, with the reason', async ({ desktop, server }) => {
  const { page } = desktop;
  const person = await preparePerson(server);
  await signInAndActivate(page, person);
  await server.admin(['license', 'set', person.licenseId, '--status', 'revoked']);
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

test('the history is written as CSV while the plan allows it, and main refuses it otherwise', async ({
  desktop,
  server,
}) => {
  const person = await preparePerson(server);
  await signInAndActivate(desktop.page, person);
  await goTo(desktop.page, 'Activity');
  await desktop.page
    .getByRole('button', { name: /Export/ })
    .first()
    .click();
  await expect(async () => {
    const { readdir } = await import('node:fs/promises');
    const [file = ''] = (await readdir(desktop.downloads)).filter((name) => name.endsWith('.csv'));
    expect(await readFile(join(desktop.downloads, file), 'utf8')).toContain('HW-');
  }).toPass();

  await server.admin(['subscription', 'set', person.email, '--plan', 'free']);
  await server.admin(['license', 'set', person.licenseId, '--status', 'inactive']);
  await desktop.page.getByRole('button', { name: 'Check now' }).click();
  await expect(licenseState(desktop.page)).toContainText(/suspended/i);
  const asked = await desktop.page.evaluate(async () => {
    const { latchkey } = globalThis as unknown as { latchkey: { exportHistory: () => Promise<unknown> } };
    return latchkey.exportHistory();
  });
  expect(asked).toMatchObject({ ok: false, failure: { code: 'FEATURE_OFF', feature: 'csv_export' } });
});

test('signing out forgets the session, on this device and on all', async ({ desktop, server }) => {
  const person = await preparePerson(server);
  await signInAndActivate(desktop.page, person);
  await desktop.page.getByRole('button', { name: new RegExp(person.email) }).click();
  await desktop.page.getByRole('menuitem', { name: 'Sign out on all devices' }).click();
  await expect(desktop.page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
  await desktop.restart();
  await expect(desktop.page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
});

async function keyVerdict(serverUrl: string, apiKey: string): Promise<unknown> {
  const answer = await fetch(`${serverUrl}/api/v1/metrics/api-key/validate`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey },
  });
  return answer.json();
}
