/** Somebody finds an API key in public and reports it: what its owner sees and does in the window. */
import type { Page } from '@playwright/test';
import type { TestServer } from './fixtures/server.ts';
import { expect, test } from './fixtures/test.ts';
import { goTo, licenseState, prepareUser, signInAndActivate } from './fixtures/user.ts';

const reason = 'Your API key was revoked because it was found in public.';

test('a key that is reported while the window is open is shown as revoked, until the user has a new one', async ({
  desktop,
  server,
}) => {
  const { page } = desktop;
  await signInAndActivate(page, await prepareUser(server));
  const key = await generateApiKey(page);
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await goTo(page, 'Overview');
  await expect(page.getByText(reason)).toHaveCount(0);
  await report(server, key);
  await page.getByRole('button', { name: 'Check now' }).click();
  await expect(page.getByRole('alert')).toContainText(reason);
  await page.getByRole('button', { name: 'Go to API key' }).click();
  await expect(page.getByRole('alert')).toContainText(reason);
  await expect(page.getByRole('alert')).toContainText(`Somebody found the key ${key.slice(0, 13)}…`);
  await expect(page.getByRole('button', { name: 'Replace key' })).toHaveCount(0);

  const newKey = await generateApiKey(page);
  expect(newKey).not.toBe(key);
  expect(await isValid(server, key)).toBe(false);
  expect(await isValid(server, newKey)).toBe(true);
  await expect(page.getByText(reason)).toHaveCount(0);
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await expect(page.getByText(`${newKey.slice(0, 13)}••••••••`)).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await goTo(page, 'Activity');
  await expect(page.getByText('API key revoked because it was found in public')).toHaveCount(1);
});

test('a key that was reported while the app was closed is shown as revoked when it starts, until the user has a new one', async ({
  desktop,
  server,
}) => {
  await signInAndActivate(desktop.page, await prepareUser(server));
  const key = await generateApiKey(desktop.page);
  await desktop.page.getByRole('button', { name: 'I have saved it' }).click();
  await goTo(desktop.page, 'Overview');
  await report(server, key);
  await desktop.restart();
  await expect(licenseState(desktop.page)).toContainText('Everything works');
  await expect(desktop.page.getByRole('alert')).toContainText(reason);
  await goTo(desktop.page, 'API key');
  await expect(desktop.page.getByRole('alert')).toContainText(reason);
  expect(await isValid(server, await generateApiKey(desktop.page))).toBe(true);
  await desktop.page.getByRole('button', { name: 'I have saved it' }).click();
  await expect(desktop.page.getByRole('button', { name: 'Replace key' })).toBeVisible();
  await desktop.restart();
  await goTo(desktop.page, 'API key');
  await expect(desktop.page.getByRole('button', { name: 'Replace key' })).toBeVisible();
  await expect(desktop.page.getByRole('alert')).toHaveCount(0);
});

/** Generates a key and returns it as the window shows it. */
async function generateApiKey(page: Page): Promise<string> {
  await goTo(page, 'API key');
  await page.getByRole('button', { name: 'Generate API key' }).click();
  return page.getByText(/^svc_live_[\w-]{26}$/).innerText();
}

async function report(server: TestServer, apiKey: string): Promise<void> {
  expect(await post(server, 'metrics/api-key/report', apiKey)).toEqual({ success: true });
}

async function isValid(server: TestServer, apiKey: string): Promise<boolean> {
  return ((await post(server, 'metrics/api-key/validate', apiKey)) as { readonly valid: boolean }).valid;
}

async function post(server: TestServer, path: string, apiKey: string): Promise<unknown> {
  const response = await fetch(`${server.url}/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: apiKey }),
  });
  return response.json();
}
