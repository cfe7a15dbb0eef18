/** Installers on a real server: published as a file and by hash, compared on both sides, canceled, withdrawn. */
import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { expect, signIn, signOut, staffEmail, staffPassword, test } from './staff-fixture.ts';
import { userPassword } from './staff-server.ts';

const windows = 'Windows (x64)';
const linux = 'Linux (x64)';
const compare = '**/api/v1/admin/installers/compare';
let folder: string;

test.beforeEach(() => {
  folder = makeTemporaryFolder();
});
test.afterEach(() => removeFolder(folder));

function makeFile(name: string, bytes = 3_000_000) {
  const content = randomBytes(bytes);
  const path = join(folder, name);
  writeFileSync(path, content);
  return { path, hash: `sha256:${createHash('sha256').update(content).digest('hex')}` };
}

/** The published version, which anyone can read without signing in. */
async function publishedOn(url: string) {
  const response = await fetch(`${url}/api/v1/binary-hash`);
  return response.status === 404 ? null : ((await response.json()) as { version: string; hashes: object });
}

/** Chooses a file with the button and the browser's own dialog. */
async function choose(page: Page, platform: string, path: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('region', { name: platform }).getByRole('button', { name: 'Choose a file…' }).press('Enter');
  await (await chooser).setFiles(path);
}

async function openInstallers(page: Page, version = '4.2.0'): Promise<void> {
  await page.getByRole('link', { name: 'Installers', exact: true }).click();
  await page.getByLabel('Version', { exact: true }).fill(version);
}

const publish = (page: Page) => page.getByRole('button', { name: 'Publish', exact: true }).press('Enter');

test('a version is published as a file and by a hash, and withdrawn after its name was typed', async ({
  signedIn: page,
  server,
}) => {
  const file = makeFile('Latchkey-4.2.0.AppImage');
  const other = makeFile('Latchkey-Setup-4.2.0.exe');
  await openInstallers(page);
  await expect(page.getByText('No installer is published')).toBeVisible();
  await publish(page);
  await expect(page.getByText('Add a file or a hash for at least one platform.')).toBeVisible();
  await choose(page, linux, file.path);
  const windowsArea = page.getByRole('region', { name: windows });
  await windowsArea.getByRole('button', { name: 'Enter a hash' }).click();
  await windowsArea.getByLabel('SHA-256').fill(other.hash.slice(0, -1));
  await publish(page);
  await expect(windowsArea.getByText('Enter 64 hexadecimal characters')).toBeVisible();
  await windowsArea.getByLabel('SHA-256').fill(other.hash.slice(7).toUpperCase());
  await publish(page);
  await expect(page.getByText('Version 4.2.0 was published.')).toBeVisible();
  expect(await publishedOn(server.url)).toMatchObject({
    version: '4.2.0',
    hashes: { windows_x64: other.hash, linux_amd64: file.hash },
  });
  const hashes = page.getByRole('list', { name: 'Published hashes' });
  await expect(hashes.getByRole('listitem').filter({ hasText: linux })).toContainText(file.hash);
  await expect(hashes.getByRole('listitem').filter({ hasText: 'macOS' })).toContainText('Not published');
  await expect(page.getByText(`Published just now by ${staffEmail}`)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Publish a version' })).toBeFocused();

  await page.getByRole('button', { name: 'Withdraw' }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByLabel('Type 4.2.0 to confirm').fill('4.2.0');
  await dialog.getByRole('button', { name: 'Withdraw' }).click();
  await expect(page.getByText('Version 4.2.0 was withdrawn.')).toBeVisible();
  expect(await publishedOn(server.url)).toBeNull();
  const actions = (await server.admin(['audit', 'list'])).map(({ action }: { action: string }) => action);
  expect(actions).toEqual(expect.arrayContaining(['installer.publish', 'installer.clear']));
});

test('publishing asks for the password again, and without it nothing is published and nothing is lost', async ({
  signedIn: page,
  server,
}) => {
  const file = makeFile('Latchkey.AppImage');
  await openInstallers(page);
  await choose(page, linux, file.path);
  server.forgetConfirmations();
  await publish(page);
  const confirm = page.getByRole('dialog', { name: 'Confirm that it’s you' });
  await expect(confirm.getByLabel('Password', { exact: true })).toBeFocused();
  expect(await publishedOn(server.url)).toBeNull();
  await confirm.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('Canceled. Nothing was published.')).toBeVisible();
  expect(await publishedOn(server.url)).toBeNull();
  await publish(page);
  await confirm.getByLabel('Password', { exact: true }).fill(staffPassword);
  await confirm.getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByText('Version 4.2.0 was published.')).toBeVisible();
  expect(await publishedOn(server.url)).toMatchObject({ hashes: { linux_amd64: file.hash } });
});

test('dropped files are assigned to their platforms, and a wrong one is detected', async ({
  signedIn: page,
  server,
}) => {
  const published = makeFile('a', 10);
  await server.admin(['installer', 'publish', '4.2.0', '--linux-amd64', published.hash]);
  await openInstallers(page, '4.3.0');
  const drop = (names: readonly string[]) =>
    page.getByRole('region', { name: windows }).evaluate((area, dropped) => {
      const dataTransfer = new DataTransfer();
      for (const name of dropped) dataTransfer.items.add(new File([`content of ${name}`], name));
      area.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }, names);
  await drop(['Latchkey.dmg']);
  await expect(page.getByText('looks like that of an installer for macOS')).toBeVisible();
  await drop(['Latchkey.dmg', 'notes.txt']);
  await expect(page.getByText('It is unclear which file is for which platform.')).toBeVisible();
  await drop(['Latchkey.exe', 'Latchkey.dmg']);
  await expect(page.getByRole('region', { name: windows })).toContainText('Latchkey.exe');
  await expect(page.getByText('looks like')).toHaveCount(0);
  await expect(page.getByText(`This replaces version 4.2.0. Nothing will be published for ${linux}.`)).toBeVisible();
  await publish(page);
  await expect(page.getByRole('heading', { name: 'Version 4.3.0' })).toBeVisible();
  const { hashes } = (await publishedOn(server.url)) ?? { hashes: {} };
  expect(Object.keys(hashes)).toEqual(['windows_x64', 'macos_arm64']);
});

test('a file is not published if the server receives a different hash', async ({ signedIn: page, server }) => {
  const file = makeFile('Latchkey.AppImage');
  await page.route(compare, (route) =>
    route.continue({ headers: { ...route.request().headers(), 'x-sha256': 'ab'.repeat(32) } }),
  );
  await openInstallers(page);
  await choose(page, linux, file.path);
  await publish(page);
  await expect(page.getByRole('alert')).toContainText('The file that reached the server is not the one you chose.');
  expect(await publishedOn(server.url)).toBeNull();
  await page.unroute(compare);
  await publish(page);
  await expect(page.getByRole('heading', { name: 'Version 4.2.0' })).toBeVisible();
});

test('a file that has changed since it was chosen, or is empty, is not published', async ({
  signedIn: page,
  server,
}) => {
  const file = makeFile('Latchkey.AppImage');
  writeFileSync(join(folder, 'empty.exe'), '');
  await openInstallers(page);
  await choose(page, windows, join(folder, 'empty.exe'));
  await expect(page.getByText('This file is empty.')).toBeVisible();
  await page.getByRole('button', { name: 'Remove' }).click();
  await choose(page, linux, file.path);
  appendFileSync(file.path, 'more');
  await publish(page);
  await expect(page.getByRole('alert')).toContainText('The file was changed, moved or deleted');
  expect(await publishedOn(server.url)).toBeNull();
});

test('an upload shows progress on other screens too, and nothing is published if it is canceled', async ({
  signedIn: page,
  server,
}) => {
  const file = makeFile('Latchkey.AppImage', 30_000_000);
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await openInstallers(page);
  await choose(page, linux, file.path);
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    // Slow enough for the upload to take minutes, also compared to a slow machine.
    uploadThroughput: 100_000,
  });
  await publish(page);
  const progress = page.getByRole('progressbar', { name: /^Uploading to compare/ });
  await expect(progress).toHaveAttribute('aria-valuetext', /^\d+\.\d [kM]B of 30\.0 MB · \d+\.\d [kM]B\/s$/);
  await page.getByRole('link', { name: 'Plans', exact: true }).click();
  await page.getByRole('link', { name: 'Installers', exact: true }).click();
  await expect(progress).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).press('Enter');
  await expect(page.getByText('Canceled. Nothing was published.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Publish a version' })).toBeFocused();
  await expect(page.getByRole('region', { name: linux })).toContainText('Latchkey.AppImage');
  expect(await publishedOn(server.url)).toBeNull();
});

test('entered data survives an unavailable server', async ({ signedIn: page, server }) => {
  const file = makeFile('Latchkey.AppImage');
  await openInstallers(page);
  await choose(page, linux, file.path);
  await server.stop();
  await publish(page);
  await expect(page.getByRole('alert')).toContainText('Could not reach the server.');
  await server.start();
  await publish(page);
  await expect(page.getByRole('heading', { name: 'Version 4.2.0' })).toBeVisible();
});

test('what a proxy does to an upload is named, and nothing is published', async ({ signedIn: page, server }) => {
  const file = makeFile('Latchkey.AppImage');
  await openInstallers(page);
  await choose(page, linux, file.path);
  const html = { contentType: 'text/html', body: '<html><h1>Proxy</h1></html>' };
  const cases = [
    [{ ...html, status: 413 }, 'too large to be uploaded'],
    [{ ...html, status: 504 }, 'responded with status 504'],
    [{ status: 302, headers: { location: `${server.url}/admin` } }, 'The request was redirected'],
    [null, 'The upload was interrupted.'],
  ] as const;
  for (const [answer, text] of cases) {
    await page.route(compare, (route) => (answer === null ? route.abort('connectionreset') : route.fulfill(answer)));
    await publish(page);
    await expect(page.getByRole('alert')).toContainText(text);
    await page.unroute(compare);
  }
  expect(await publishedOn(server.url)).toBeNull();
});

test('a viewer can see and copy the hashes, but change nothing', async ({ signedIn: page, server, context }) => {
  const hash = `sha256:${'a3'.repeat(32)}`;
  await server.admin(['installer', 'publish', '4.2.0', '--windows-x64', hash]);
  await server.admin(['user', 'create', '--email', 'viewer@lab.example', '--password-stdin'], userPassword);
  await server.admin(['staff', 'add', 'viewer@lab.example', '--role', 'viewer']);
  await openInstallers(page, 'a version that the next one must not see');
  await signOut(page);
  await signIn(page, 'viewer@lab.example', userPassword);
  await page.getByRole('button', { name: 'Not now' }).click();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('link', { name: 'Installers', exact: true }).click();
  await expect(page.getByText('Only owners can publish or withdraw installers.')).toBeVisible();
  await page.getByRole('button', { name: 'Copy' }).click();
  await expect(page.getByText('Copied.')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(hash);
  await expect(page.getByRole('button', { name: /Publish|Withdraw/ })).toHaveCount(0);
});

test('an update is rolled out step by step, and withdrawn after its version was typed', async ({
  signedIn: page,
  server,
}) => {
  for (const version of ['4.1.0', '4.2.0']) {
    const { path } = makeFile(`Latchkey-${version}.exe`, 1000);
    await server.admin(['installer', 'publish', version, '--feed', '--windows-x64', path]);
  }
  const offered = async () => (await fetch(`${server.url}/updates/latest.yml`)).text();
  await page.getByRole('link', { name: 'Installers', exact: true }).click();
  const newest = page.getByRole('list', { name: 'Versions in the update feed' }).getByRole('listitem').first();
  await expect(newest).toContainText('Version 4.2.0');
  await newest.getByRole('button', { name: 'Change rollout' }).click();
  const rollout = page.getByRole('dialog', { name: 'Roll out version 4.2.0' });
  await rollout.getByLabel('Of 100 devices').fill('101');
  await rollout.getByRole('button', { name: 'Set' }).click();
  await expect(rollout.getByLabel('Of 100 devices')).toHaveAttribute('aria-invalid', 'true');
  await rollout.getByLabel('Of 100 devices').fill('20');
  await rollout.getByRole('button', { name: 'Set' }).click();
  await expect(newest).toContainText('for 20 of 100 devices');
  expect(await offered()).toContain('stagingPercentage: 20');
  await newest.getByRole('button', { name: 'Withdraw update' }).click();
  const withdraw = page.getByRole('alertdialog', { name: 'Withdraw the update to version 4.2.0?' });
  await expect(withdraw).toContainText('Apps are then offered version 4.1.0.');
  await withdraw.getByLabel(/4\.2\.0/).fill('4.2.0');
  await withdraw.getByRole('button', { name: 'Withdraw update' }).click();
  await expect(newest).toContainText('Version 4.1.0');
  expect(await offered()).toContain('version: 4.1.0');
});
