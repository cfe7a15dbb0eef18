/**
 * What users see of network faults, with every fault and every action: a message says what happened, the controls work
 * again, nothing is lost, and once the fault is over the same action succeeds and is carried out once.
 */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type NetworkFault, networkFaults } from '../harness/network-faults.ts';
import { commandLine } from './fixtures/command-line.ts';
import { test } from './fixtures/faults.ts';
import { expect } from './fixtures/test.ts';
import {
  activateElsewhere,
  apiToken,
  enterLicenseKey,
  goTo,
  licenseState,
  prepareUser,
  signIn,
  signInAndActivate,
} from './fixtures/user.ts';

test.setTimeout(600_000);

const limits = ['LOGIN', 'LICENSE', 'DEFAULT'].map((bucket) => [`LATCHKEY_RATE_${bucket}`, '0']);
test.use({ serverSettings: Object.fromEntries(limits) });

const {
  stall = [],
  wait = [],
  other = [],
} = Object.groupBy(networkFaults, ({ kind }) => (kind === 'stall' || kind === 'wait' ? kind : 'other'));

function faultNamed(name: string): NetworkFault {
  const fault = networkFaults.find((each) => each.name === name);
  if (fault === undefined) throw new Error(`There is no fault "${name}".`);
  return fault;
}

const lostAnswer = faultNamed('cut after the server has done it');

for (const [what, faults] of [
  ['each fault', other],
  ['each stall', stall],
  ['each order to wait', wait],
] as const) {
  test(`a check during ${what} shows a message, everything keeps working, and the next check succeeds`, async ({
    desktop,
    server,
    network,
  }) => {
    await signInAndActivate(desktop.page, await prepareUser(server));
    for (const { name, kind, meet } of faults) {
      await test.step(name, async () => {
        const { page } = desktop;
        const checkNow = () => desktop.page.getByRole('button', { name: 'Check now' });
        const ended = () => expect(checkNow()).not.toHaveAttribute('aria-disabled');
        const said = page.locator('.toast', { hasNotText: 'activated' });
        network.inject(meet);
        await checkNow().click();
        await expect(said.locator('.toast-text')).toHaveText(/^[A-Z].* .*\.$/);
        await expect(licenseState(desktop.page)).toContainText('Everything works');
        await ended();
        await said.getByRole('button', { name: 'Close' }).click();
        network.clear();
        // The app waits if the server asked for it; a restart clears that.
        if (kind === 'wait') await desktop.restart();
        await checkNow().click();
        await ended();
        await expect(licenseState(desktop.page)).toContainText(/^Everything works/);
        await expect(desktop.page.locator('.toast', { hasNotText: 'activated' })).toHaveCount(0);
      });
    }
  });
}

test('sign-in, activation and another device: a lost answer is reported, and the repeated action is carried out once', async ({
  desktop,
  server,
  network,
}) => {
  const { page } = desktop;
  const user = await prepareUser(server);
  const alert = page.getByRole('alert');
  const lose = (path: string) => network.inject(lostAnswer.meet, { path });

  await test.step('sign-in', async () => {
    lose('/auth/login');
    await signIn(page, user);
    await expect(alert).toContainText('Could not reach the server.');
    network.clear();
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await expect(licenseState(page)).toContainText('not activated');
  });

  const token = await apiToken(server, user);
  const activeDevices = async () => {
    const response = await fetch(`${server.url}/api/v1/license/activations`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { activations } = (await response.json()) as { activations: { device_name: string }[] };
    return activations.map(({ device_name }) => device_name);
  };

  await test.step('activation', async () => {
    lose('/license/activate');
    await enterLicenseKey(page, user.licenseKey);
    await expect(alert).toContainText('Could not reach the server.');
    expect(await activeDevices()).toHaveLength(1);
    network.clear();
    await page.getByRole('button', { name: 'Activate this device' }).click();
    await expect(licenseState(page)).toContainText(/^Everything works/);
    expect(await activeDevices()).toHaveLength(1);
  });

  await test.step('release of another device', async () => {
    await activateElsewhere(server, token, { licenseKey: user.licenseKey, number: 7, name: 'Old laptop' });
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByRole('listitem', { name: 'Old laptop' }).getByRole('button', { name: 'Release' }).click();
    const question = page.getByRole('alertdialog', { name: 'Release Old laptop?' });
    lose('/license/activations/');
    await question.getByRole('button', { name: 'Release' }).click();
    await expect(question.getByRole('alert')).toContainText('Could not reach the server.');
    network.clear();
    await question.getByRole('button', { name: 'Release' }).click();
    await expect(page.getByText('Old laptop was released.')).toBeVisible();
    await expect(page.getByRole('listitem', { name: 'Old laptop' })).toHaveCount(0);
    expect(await activeDevices()).toHaveLength(1);
  });

  await test.step('a new name', async () => {
    await page.getByRole('button', { name: 'Rename this device' }).click();
    await page.getByRole('textbox', { name: 'Device name' }).fill('Bench 7');
    lose('/license/activate');
    await page.getByRole('button', { name: 'Save name' }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    network.clear();
    await page.getByRole('button', { name: 'Check now' }).click();
    await expect(licenseState(page)).toContainText(/^Everything works/);
    await expect.poll(activeDevices).toEqual(['Bench 7']);
  });

  await test.step('a device at the limit', async () => {
    const issue = ['license', 'issue', '--email', user.email, '--max-activations', '1'];
    const { license_key: licenseKey } = await server.admin(issue);
    await activateElsewhere(server, token, { licenseKey, number: 8, name: 'Older laptop' });
    await page.getByRole('button', { name: 'Use another license key' }).click();
    await page.getByLabel('License key').fill(licenseKey);
    await page.getByRole('button', { name: 'Activate this device' }).click();
    const dialog = page.getByRole('dialog', { name: 'Device limit reached' });
    await expect(dialog).toContainText('Older laptop');
    lose('/license/activate');
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await expect(dialog.getByRole('alert')).toContainText('Could not reach the server.');
    network.clear();
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(licenseState(page)).toContainText(/^Everything works/);
    expect(await activeDevices()).not.toContain('Older laptop');
  });
});

test('API key, leaked key, installer, updates and doctor: a fault is reported, and the repeated action works', async ({
  desktop,
  server,
  network,
  folder,
}) => {
  const { page } = desktop;
  const user = await prepareUser(server);
  const lose = (path: string) => network.inject(lostAnswer.meet, { path });
  await signInAndActivate(page, user);
  await goTo(page, 'API key');
  const shown = page.getByText(/^svc_live_[\w-]{26}$/);
  /** A sync may have requested the status of the key meanwhile. */
  const withheldKey = (): string => {
    const keys = network.withheld.flatMap(({ body }) => JSON.parse(body.toString()).api_key ?? []);
    expect(keys).not.toEqual([]);
    return keys[0];
  };

  await test.step('a new API key, and then another', async () => {
    lose('/metrics/api-key');
    await page.getByRole('button', { name: 'Generate API key' }).click();
    await expect(page.getByRole('alert')).toContainText('Could not reach the server.');
    const made = withheldKey();
    network.clear();
    await page.getByRole('button', { name: 'Generate API key' }).click();
    await expect(shown).toHaveText(made);
    await page.getByRole('button', { name: 'I have saved it' }).click();

    await page.getByRole('button', { name: 'Replace key' }).click();
    lose('/metrics/api-key');
    await page.getByRole('button', { name: 'Replace', exact: true }).click();
    await expect(page.getByRole('alert')).toContainText('Could not reach the server.');
    const replaced = withheldKey();
    network.clear();
    await page.getByRole('button', { name: 'Replace', exact: true }).click();
    await expect(shown).toHaveText(replaced);
  });

  await test.step('a leaked key', async () => {
    const key = await shown.innerText();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('textbox', { name: 'Text to check' }).fill(`key=${key}`);
    await page.getByRole('button', { name: 'Check text' }).click();
    const found = page.getByRole('list', { name: 'Leaked keys' }).getByRole('listitem');
    await found.getByRole('button', { name: 'Revoke' }).click();
    const question = page.getByRole('alertdialog');
    lose('/api-key/report');
    await question.getByRole('button', { name: 'Revoke' }).click();
    await expect(question.getByRole('alert')).toContainText('Could not reach the server.');
    network.clear();
    await question.getByRole('button', { name: 'Revoke' }).click();
    await expect(found).toContainText('reported');
  });

  await test.step('an installer, and updates', async () => {
    const file = join(folder, 'Latchkey-4.2.0.AppImage');
    await writeFile(file, 'an installer');
    const hash = createHash('sha256').update('an installer').digest('hex');
    await server.admin(['installer', 'publish', '4.2.0', '--linux-amd64', `sha256:${hash}`]);
    await goTo(page, 'Installer');
    const verify = () => desktop.chooseFile(file, () => page.getByRole('button', { name: /^Choose a file/ }).click());
    network.inject(faultNamed('the page of a captive portal').meet, { path: '/binary-hash' });
    await verify();
    await expect(page.getByRole('alert').filter({ hasText: 'Could not reach the server.' })).toBeVisible();
    await expect(page.getByText('Not genuine')).toHaveCount(0);
    network.clear();
    await verify();
    await expect(page.getByText('Genuine', { exact: true })).toBeVisible();

    const check = page.getByRole('button', { name: 'Check for updates' });
    network.inject(faultNamed('a redirect to another host').meet, { path: '/updates/' });
    await check.click();
    const answer = page.locator('.updates-result');
    await expect(answer).toContainText('could not be reached');
    network.clear();
    await check.click();
    await expect(answer).toContainText('offers no updates');
  });

  await test.step('the doctor', async () => {
    await goTo(page, 'Diagnostics');
    network.inject(faultNamed('the page of a captive portal').meet);
    await page.getByRole('button', { name: 'Connection doctor' }).click();
    const doctor = page.getByRole('dialog', { name: 'Connection doctor' });
    await expect(doctor.getByRole('status')).toContainText('Failed:');
    network.clear();
    await doctor.getByRole('button', { name: 'Check again' }).click();
    await expect(doctor.getByRole('status')).toHaveText('All steps are OK.');
    await page.keyboard.press('Escape');
  });

  await test.step('a request for a lease, which needs no network', async () => {
    network.inject(faultNamed('garbage in place of HTTP').meet);
    await goTo(page, 'Devices');
    await page.getByRole('button', { name: 'Show QR code' }).click();
    await expect(page.getByRole('img', { name: 'QR code of the request' })).toBeVisible();
  });
});

test('the command line in its own process reports faults as inconclusive', async ({ folder, server, network }) => {
  const user = await prepareUser(server);
  const { run } = commandLine(folder, network.url);
  network.inject(lostAnswer.meet, { path: '/auth/login' });
  const lost = await run(['sign-in', user.email, '--password-stdin'], user.password);
  expect(lost).toMatchObject({ code: 4, stdout: '', json: { code: 'SERVER_UNREACHABLE' } });
  network.clear();
  expect(await run(['sign-in', user.email, '--password-stdin'], user.password)).toMatchObject({ code: 0 });
  network.inject(lostAnswer.meet, { path: '/license/activate' });
  expect(await run(['activate', user.licenseKey])).toMatchObject({ code: 4, json: { code: 'SERVER_UNREACHABLE' } });
  network.clear();
  expect(await run(['activate', user.licenseKey])).toMatchObject({ code: 0, json: { activations: 1 } });
  network.inject(lostAnswer.meet, { path: '/auth/refresh' });
  expect(await run(['status', '--check'])).toMatchObject({
    code: 4,
    json: { session: 'signed-in', license: { state: 'offline' }, features: { csv_export: { on: true } } },
  });
  network.inject(faultNamed('429 with a huge Retry-After').meet);
  expect(await run(['devices'])).toMatchObject({ code: 4, stdout: '', json: { code: 'RATE_LIMITED' } });
  network.clear();
  expect(await run(['status', '--check'])).toMatchObject({ code: 0, json: { license: { state: 'works' } } });
});
