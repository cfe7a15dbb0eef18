/**
 * Row 17 of the matrix, in the window: signing in, activating and generating an API key leaves no password, token, key
 * or lease in the memory of the page, and none in its document or storage. The API key is there while the window shows
 * it, once, so that the user can save it.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { readReport, reportFigures } from '../faults/matrix-run.ts';
import type { FaultProxy } from '../harness/fault-proxy.ts';
import { test } from './fixtures/faults.ts';
import { expect } from './fixtures/test.ts';
import { goTo, licenseState, prepareUser } from './fixtures/user.ts';

const row = 17;
const keyOfLink = 'SVC-7QK2-90AB-CDEF-GH1T';
test.use({ desktopParameters: [`latchkey://activate?key=${keyOfLink}`] });

/** Types without a copy of Playwright's own in the page, as `fill` would leave there. */
async function type(page: Page, label: string, text: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

async function signInWith(page: Page, email: string, password: string): Promise<void> {
  await type(page, 'Email', email);
  await type(page, 'Password', password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Passes the answers on, and records their secrets. */
function recordSecrets(network: FaultProxy, secrets: Map<string, string>): void {
  const names = ['access_token', 'refresh_token', 'lease', 'api_key', 'license_key'];
  network.inject(async ({ deliver, response }) => {
    const { status, headers, body } = await deliver();
    for (const name of names) {
      for (const [, secret = ''] of body.toString().matchAll(new RegExp(`"${name}":"([^"]{16,})"`, 'g'))) {
        secrets.set(`${name} ${secrets.size}`, secret);
      }
    }
    response.writeHead(status, headers).end(body);
  });
}

/** The page's memory after a garbage collection, its document and its storage. */
async function memoryOf(page: Page): Promise<string> {
  const devtools = await page.context().newCDPSession(page);
  const parts = [
    await page.content(),
    await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])),
  ];
  devtools.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => void parts.push(chunk));
  await devtools.send('HeapProfiler.enable');
  await devtools.send('HeapProfiler.collectGarbage');
  await devtools.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  await devtools.detach();
  return parts.join('');
}

/**
 * True if the memory contains the end of the secret, which is unique: two signed tokens begin alike, and the heap shows
 * at most 1,024 characters.
 */
function isIn(memory: string, secret: string): boolean {
  return memory.includes(secret.slice(-60)) || memory.includes(secret.replaceAll('-', '').slice(-60));
}

test('the secrets that pass through the window are not in its memory afterwards', async ({
  desktop,
  network,
  server,
}) => {
  const { page } = desktop;
  const secrets = new Map<string, string>();
  recordSecrets(network, secrets);
  const user = await prepareUser(server);
  const wrong = `wrong ${randomUUID()}`;
  for (const name of ['/etc/machine-id', '/var/lib/dbus/machine-id']) {
    if (existsSync(name)) secrets.set(`machine id in ${name}`, readFileSync(name, 'utf8').trim());
  }
  secrets.set('password', user.password).set('wrong password', wrong);
  secrets.set('license key', user.licenseKey).set('license key of a link', keyOfLink);

  await expect(page.getByText('SVC-7QK2...GH1T')).toBeVisible();
  // While it waits for the user, the window has only the beginning and the end of the key.
  expect(isIn(await memoryOf(page), keyOfLink)).toBe(false);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await signInWith(page, user.email, wrong);
  await expect(page.getByRole('alert')).toBeVisible();
  await signInWith(page, user.email, user.password);
  await goTo(page, 'Devices');
  await type(page, 'License key', user.licenseKey);
  await page.getByRole('button', { name: 'Activate this device' }).click();
  await expect(licenseState(page)).toContainText('Everything works');
  await goTo(page, 'API key');
  await page.getByRole('button', { name: 'Generate API key' }).click();
  await expect(page.getByText(/^svc_live_[\w-]{26}$/)).toBeVisible();
  const [, apiKey = ''] = [...secrets].find(([name]) => name.startsWith('api_key')) ?? [];
  const whileShown = await memoryOf(page);
  // This proves that the search finds what is there: the shown key, and the account.
  expect(isIn(whileShown, apiKey)).toBe(true);
  expect(isIn(whileShown, user.email)).toBe(true);
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await goTo(page, 'Overview');
  await page.getByRole('button', { name: 'Check now' }).click();
  await expect(licenseState(page)).toContainText('Everything works');

  const kinds = [...secrets.keys()].map((name) => name.split(' ')[0]);
  for (const kind of ['access_token', 'refresh_token', 'lease', 'api_key']) expect(kinds).toContain(kind);
  const memory = await memoryOf(page);
  expect(isIn(memory, user.email)).toBe(true);
  expect([...secrets].filter(([, secret]) => isIn(memory, secret)).map(([name]) => name)).toStrictEqual([]);
  const figures = { 'secrets of the window': secrets.size, 'MB of its heap searched': Math.round(memory.length / 1e6) };
  // The amount is kept from the server's test, which runs first.
  const { amount = `${secrets.size} secrets` } = readReport(row) ?? {};
  reportFigures(row, { amount, figures });
});
