/** The lease of a device that is never online: a request file in, a lease file out, which the public keys verify. */
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { verifyLease } from '../../shared/lease.ts';
import { expect, test } from './staff-fixture.ts';
import { activate, userPassword } from './staff-server.ts';

const deviceId = 'HW-0123ABCD-0123ABCD-0123ABCD-0123ABCD';

function requestFile(licenseKey: string, device = deviceId) {
  const request = { license_key: licenseKey, device_id: device, device_name: 'Bench 4', platform: 'linux x64' };
  return jsonFile(JSON.stringify(request));
}

function jsonFile(content: string, name = 'request.json') {
  return { name, mimeType: 'application/json', buffer: Buffer.from(content) };
}

async function openDialog(page: Page) {
  await page.getByRole('link', { name: 'Devices', exact: true }).click();
  await page.getByRole('button', { name: 'Sign offline lease' }).click();
  return page.getByRole('dialog');
}

test('a request file becomes a lease file, and the device is activated', async ({ signedIn: page, server }) => {
  const user = await server.seedUser('ada@lab.example');
  const dialog = await openDialog(page);
  await expect(dialog.getByRole('button', { name: 'Sign lease' })).toBeDisabled();
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    dialog.getByRole('button', { name: 'Choose a file…' }).press('Enter'),
  ]);
  await chooser.setFiles(requestFile(user.licenseKey));
  await expect(dialog).toContainText('ada@lab.example');
  await expect(dialog).toContainText('1 of 3 devices');
  await expect(dialog).toContainText('Bench 4');
  await expect(dialog).toContainText(deviceId);
  await expect(dialog).toContainText('Signing also activates the device.');
  await expect(dialog).not.toContainText(user.licenseKey);
  await dialog.getByRole('button', { name: 'Sign lease' }).click();
  await expect(dialog.getByRole('heading', { name: 'Lease signed' })).toBeVisible();
  await expect(dialog).toContainText('Valid until');

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download lease file' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('Bench-4.lease');
  const file = await readFile(await download.path(), 'utf8');
  const jwks = await (await fetch(`${server.url}/.well-known/jwks.json`)).json();
  const verified = await verifyLease(file.trim(), { jwks, deviceId, nowMs: Date.now(), subtle: crypto.subtle });
  expect(verified).toMatchObject({ valid: true, claims: { device_id: deviceId, plan: 'standard' } });
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByRole('table', { name: 'Devices' })).toContainText('Bench 4');
});

test('a file can be dropped, and one that is not a request is rejected with the reason', async ({
  signedIn: page,
  server,
}) => {
  const user = await server.seedUser('ada@lab.example');
  const dialog = await openDialog(page);
  const drop = async (...contents: string[]) => {
    const data = await page.evaluateHandle((texts) => {
      const transfer = new DataTransfer();
      for (const text of texts) transfer.items.add(new File([text], 'dropped.json'));
      return transfer;
    }, contents);
    await dialog
      .getByRole('region', { name: 'Drop the request file here' })
      .dispatchEvent('drop', { dataTransfer: data });
  };
  const alert = dialog.getByRole('alert');
  await drop('PK');
  await expect(alert).toContainText('dropped.json is not a request file. It does not contain a JSON object.');
  await drop('{}');
  await expect(alert).toContainText('The license key is missing');
  await drop(JSON.stringify({ license_key: user.licenseKey, device_id: 'mine' }));
  await expect(alert).toContainText('The device ID is missing or not valid');
  await drop('{}', '{}');
  await expect(alert).toContainText('Drop one file at a time.');
  await drop(requestFile(user.licenseKey).buffer.toString());
  await expect(alert).toHaveCount(0);
  await expect(dialog).toContainText('Bench 4');
  await dialog.getByRole('button', { name: 'Choose another file' }).click();
  await expect(dialog.getByRole('button', { name: 'Choose a file…' })).toBeVisible();
});

test('an unknown license, a full one and an inactive one are refused in plain words', async ({
  signedIn: page,
  server,
}) => {
  const user = await server.seedUser('ada@lab.example');
  for (const name of ['Second', 'Third']) await activate(server.url, user.email, user.licenseKey, name);
  const dialog = await openDialog(page);
  const sign = async (licenseKey: string) => {
    await dialog.getByLabel('Request file', { exact: true }).setInputFiles(requestFile(licenseKey));
    await dialog.getByRole('button', { name: 'Sign lease' }).click();
  };
  await sign('SVC-0000-0000-0000-0000');
  await expect(dialog.getByRole('alert')).toContainText('There is no license with this key.');
  await dialog.getByRole('button', { name: 'Choose another file' }).click();
  await expect(dialog.getByRole('alert')).toHaveCount(0);
  await sign(user.licenseKey);
  await expect(dialog).toContainText('3 of 3 devices');
  await expect(dialog.getByRole('alert')).toContainText('cannot be activated on another device');
  await server.admin(['license', 'set', user.licenseId, '--status', 'inactive']);
  await dialog.getByRole('button', { name: 'Sign lease' }).click();
  await expect(dialog.getByRole('alert')).toContainText('This license is not active.');
  await dialog.getByRole('link', { name: /^SVC-/ }).click();
  await expect(page.getByRole('complementary', { name: 'Details' })).toContainText('Suspended');
});

test('an unclaimed license is assigned to the account that staff enter', async ({ signedIn: page, server }) => {
  await server.admin(['user', 'create', '--email', 'ada@lab.example', '--password-stdin'], userPassword);
  const { license_key, license } = await server.admin(['license', 'issue']);
  const dialog = await openDialog(page);
  await dialog.getByLabel('Request file', { exact: true }).setInputFiles(requestFile(license_key));
  await expect(dialog).toContainText('Not claimed yet');
  await dialog.getByRole('button', { name: 'Sign lease' }).click();
  await expect(dialog).toContainText('Enter an email address');
  await dialog.getByLabel('Email').fill('nobody@lab.example');
  await dialog.getByRole('button', { name: 'Sign lease' }).click();
  await expect(dialog.getByRole('alert')).toContainText('There is no account with this email address.');
  await dialog.getByLabel('Email').fill('ada@lab.example');
  await dialog.getByLabel('Email').press('Enter');
  await expect(dialog.getByRole('heading', { name: 'Lease signed' })).toBeVisible();
  await page.goto(`${server.url}/admin#/licenses?open=${license.id}`);
  await expect(page.getByRole('complementary', { name: 'Details' })).toContainText('ada@lab.example');
});

test('a viewer cannot sign leases', async ({ signedIn: page, server }) => {
  await page.route('**/api/v1/admin/session', async (route) => {
    const response = await route.fetch();
    const session = await response.json();
    await route.fulfill({ json: { ...session, staff: { ...session.staff, role: 'viewer' } } });
  });
  await page.goto(`${server.url}/admin?viewer#/devices?new=1`);
  await expect(page.getByRole('heading', { name: 'Devices', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Sign offline lease' })).toHaveCount(0);
  await expect(page.getByRole('dialog')).toHaveCount(0);
});
