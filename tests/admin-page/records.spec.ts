/** Accounts, licenses and devices: what staff do with them, and what a user's client is told afterwards. */
import { writeFile } from 'node:fs/promises';
import { test as sampleTest } from './page-fixture.ts';
import { sampleAccount } from './sample-records.ts';
import { expect, test } from './staff-fixture.ts';
import { activate, releaseWithLease, userPassword, validate } from './staff-server.ts';

test('an account is created, found, given a subscription and a license, and deleted', async ({
  signedIn: page,
  server,
}) => {
  await page.getByRole('link', { name: 'Accounts', exact: true }).click();
  await page.getByRole('button', { name: 'Create account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email').fill('ada');
  await dialog.getByRole('button', { name: 'Create account' }).click();
  await expect(dialog.getByText('Enter an email address such as')).toBeVisible();
  await dialog.getByLabel('Email').fill('ada@lab.example');
  await dialog.getByLabel('Full name').fill('Ada Lovelace');
  await dialog.getByLabel('Password', { exact: true }).fill(userPassword);
  await dialog.getByRole('button', { name: 'Create account' }).click();
  const record = page.getByRole('complementary', { name: 'Details' });
  await expect(record.getByRole('heading', { name: 'ada@lab.example' })).toBeVisible();

  await record.getByRole('button', { name: 'Change subscription' }).click();
  await dialog.getByLabel('Plan').selectOption('advanced');
  await dialog.getByLabel('Period ends').fill('2099-03-03');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(record.getByText('3 Mar 2099')).toBeVisible();

  await record.getByRole('button', { name: 'Issue license' }).click();
  await dialog.getByLabel('Device limit').fill('2');
  await dialog.getByLabel('Valid only with an active subscription').check();
  await dialog.getByRole('button', { name: 'Issue license' }).click();
  const key = await dialog.getByLabel('License key').innerText();
  expect(key).toMatch(/^SVC(?:-[0-9A-Z]{4}){4}$/);
  await page.keyboard.press('Escape');
  await expect(dialog.getByLabel('License key')).toHaveText(key);
  await dialog.getByRole('button', { name: 'I have saved it' }).click();
  await expect(page.getByText(key)).toHaveCount(0);
  await expect(record.getByText('0 of 2 devices')).toBeVisible();

  const deviceId = await activate(server.url, 'ada@lab.example', key);
  await page.reload();
  await expect(record.getByText('1 of 2 devices')).toBeVisible();
  const user = { email: 'ada@lab.example', licenseId: '', licenseKey: key, deviceId };
  expect(await validate(server.url, user)).toMatchObject({ valid: true, plan: 'advanced', max_activations: 2 });

  await record.getByRole('button', { name: 'Delete account' }).click();
  const confirm = page.getByRole('alertdialog');
  await expect(confirm).toContainText('1 device loses its plan');
  await expect(confirm.getByRole('button', { name: 'Delete account' })).toBeDisabled();
  await confirm.getByLabel('Type ada@lab.example to confirm').fill('ada@lab.example');
  await confirm.getByRole('button', { name: 'Delete account' }).click();
  await expect(page.getByText('ada@lab.example was deleted.')).toBeVisible();
  await expect(record).toHaveCount(0);
  await expect(page.getByRole('table', { name: 'Accounts' })).not.toContainText('ada@lab.example');
});

test('an account with many licenses shows the newest ones, and links to all of them', async ({
  signedIn: page,
  server,
}) => {
  await server.seedUser('ada@lab.example');
  await server.seedUser('ada@lab.example.org');
  for (let count = 0; count < 10; count += 1) await server.admin(['license', 'issue', '--email', 'ada@lab.example']);
  await page.getByRole('link', { name: 'Accounts', exact: true }).click();
  await page.getByRole('link', { name: 'ada@lab.example', exact: true }).click();
  const record = page.getByRole('complementary', { name: 'Details' });
  await expect(record.getByRole('list', { name: 'Licenses' }).getByRole('listitem')).toHaveCount(10);
  await record.getByRole('link', { name: 'Show all 11 licenses' }).click();
  await expect(page.getByRole('row')).toHaveCount(12);
  await expect(page.getByLabel('Account')).toHaveValue('ada@lab.example');
  await page.getByLabel('Account').selectOption('');
  await expect(page.getByRole('row')).toHaveCount(13);
});

test('an account says which features it has, what decides that, and which plan has the others', async ({
  signedIn: page,
  server,
}) => {
  const email = 'ada@lab.example';
  await server.admin(['user', 'create', '--email', email, '--password-stdin'], userPassword);
  const { id } = await server.admin(['user', 'show', email]);
  const record = page.getByRole('complementary', { name: 'Details' });
  const features = record.getByRole('list', { name: 'Features' });
  const open = async () => {
    await page.goto(`${server.url}/admin#/accounts?open=${id}`);
    await page.reload();
  };
  await open();
  await expect(record.getByText('Without a subscription or a license, the Free plan applies.')).toBeVisible();
  await expect(features.getByText('Real-time visualization: included')).toBeVisible();
  await expect(features.getByText('CSV export: not included (part of the Standard plan)')).toBeVisible();

  await server.admin(['license', 'issue', '--email', email, '--plan', 'advanced']);
  await open();
  await expect(record.getByText('What the Advanced plan of the license includes.')).toBeVisible();
  await expect(features.getByText('Custom preprocessing: included')).toBeVisible();

  await server.admin(['subscription', 'set', email, '--plan', 'standard']);
  await open();
  await expect(record.getByText('What the plan of the subscription includes.')).toBeVisible();
  await expect(features.getByText('CSV export: included')).toBeVisible();
  await expect(features.getByText('Custom preprocessing: not included (part of the Advanced plan)')).toBeVisible();

  await server.admin(['subscription', 'set', email, '--plan', 'standard', '--status', 'canceled']);
  await open();
  await expect(record.getByText('The subscription is not in effect, so the Free plan applies.')).toBeVisible();
  await expect(features.getByText('CSV export: not included')).toBeVisible();
});

sampleTest(
  'where a license decides beside a subscription by a typed email, it is not said that there is none',
  async ({ page, open }) => {
    const account = sampleAccount();
    const entitlement = { ...account.entitlement, plan: 'advanced', decided_by: 'license' as const };
    await open({ hash: '#/accounts?open=some', answers: { account: { ...account, entitlement } } });
    const record = page.getByRole('complementary', { name: 'Details' });
    await expect(record.getByText('What the Advanced plan of the license includes.')).toContainText(
      'The subscription, which is linked only by a typed email, lacks some of it and does not decide.',
    );
  },
);

sampleTest('an account whose features cannot be read says so, and why', async ({ page, open }) => {
  await open({ hash: '#/accounts?open=some', answers: { featureRecords: { error: 'SERVICE_UNAVAILABLE' } } });
  const section = page.getByRole('region', { name: 'Features' });
  await expect(section.getByRole('alert')).toBeVisible();
  await expect(section.getByRole('button', { name: 'Try again' })).toBeVisible();
});

sampleTest('plans whose features cannot be read say so, and why', async ({ page, open }) => {
  await open({ hash: '#/plans', answers: { featureRecords: { error: 'SERVICE_UNAVAILABLE' } } });
  await expect(page.getByRole('alert')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();
});

test('a new password ends the sessions of an account', async ({ signedIn: page, server }) => {
  await server.seedUser('ada@lab.example');
  await page.getByRole('link', { name: 'Accounts', exact: true }).click();
  await page.getByRole('link', { name: 'ada@lab.example' }).click();
  const record = page.getByRole('complementary', { name: 'Details' });
  await expect(record.getByText('Signed in on 1 device.')).toBeVisible();
  // The harness signed in with Node's own client.
  await expect(record.getByRole('list', { name: 'Sessions' }).getByRole('listitem')).toHaveText(
    /^node Last used .+ · signed in /,
  );
  await record.getByRole('button', { name: 'Set password' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('1 session ends immediately');
  await dialog.getByLabel('New password').fill('short');
  await dialog.getByRole('button', { name: 'Set password' }).click();
  await expect(dialog.getByText('Use at least 8 characters.')).toBeVisible();
  await dialog.getByLabel('New password').fill('password1234');
  await dialog.getByRole('button', { name: 'Set password' }).click();
  await expect(dialog.getByRole('alert')).toContainText('one of the most common ones');
  await dialog.getByLabel('New password').fill('violet harbor 88 lamp');
  await dialog.getByRole('button', { name: 'Set password' }).click();
  await expect(page.getByText('The password of ada@lab.example was changed.')).toBeVisible();
  await expect(record.getByRole('heading', { name: 'Sessions' })).toHaveCount(0);
});

test('a license is suspended, reinstated and revoked, and its device is told', async ({ signedIn: page, server }) => {
  const user = await server.seedUser('ada@lab.example');
  await page.goto(`${server.url}/admin#/licenses?open=${user.licenseId}`);
  const record = page.getByRole('complementary', { name: 'Details' });
  const dialog = page.getByRole('alertdialog');
  await record.getByRole('button', { name: 'Suspend' }).click();
  await expect(dialog).toContainText('It belongs to ada@lab.example. 1 device loses its plan');
  await dialog.getByRole('button', { name: 'Suspend' }).click();
  await expect(record.getByText('Suspended')).toBeVisible();
  expect(await validate(server.url, user)).toMatchObject({ valid: false, code: 'LICENSE_INACTIVE' });

  await record.getByRole('button', { name: 'Reinstate' }).click();
  await dialog.getByRole('button', { name: 'Reinstate' }).click();
  await expect(record.getByText('Active', { exact: true })).toBeVisible();
  expect(await validate(server.url, user)).toMatchObject({ valid: true });

  await record.getByRole('button', { name: 'Revoke' }).click();
  await expect(dialog).toContainText('1 device loses its plan');
  const name = user.licenseKey.slice(0, 8);
  await dialog.getByLabel(`Type ${name} to confirm`).fill('SVC-0000');
  await expect(dialog.getByRole('button', { name: 'Revoke' })).toBeDisabled();
  await dialog.getByLabel(`Type ${name} to confirm`).fill(name.toLowerCase());
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await expect(record.getByText('Revoked')).toBeVisible();
  await expect(page.getByRole('table').getByText('Revoked')).toBeVisible();
  expect(await validate(server.url, user)).toMatchObject({ valid: false, code: 'LICENSE_REVOKED' });
});

test('an imported license can be revoked although its short key has no preview', async ({
  signedIn: page,
  server,
}, info) => {
  const file = info.outputPath('licenses.csv');
  await writeFile(file, 'license_key\nKG-1\n');
  await server.admin(['import', 'licenses', file]);
  await page.goto(`${server.url}/admin#/licenses`);
  await page.getByRole('table').getByRole('link').click();
  const record = page.getByRole('complementary', { name: 'Details' });
  await record.getByRole('button', { name: 'Revoke' }).click();
  const name = /open=\S+(\S{8})$/.exec(page.url())?.[1] ?? '';
  const dialog = page.getByRole('alertdialog');
  await expect(dialog.getByRole('button', { name: 'Revoke' })).toBeDisabled();
  await dialog.getByLabel(`Type ${name} to confirm`).fill(name);
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await expect(record.getByText('Revoked')).toBeVisible();
});

test('expiry, updates and device limit of a license can be changed', async ({ signedIn: page, server }) => {
  const user = await server.seedUser('ada@lab.example');
  await page.goto(`${server.url}/admin#/licenses?open=${user.licenseId}`);
  const record = page.getByRole('complementary', { name: 'Details' });
  const dialog = page.getByRole('dialog');
  await record.getByRole('button', { name: 'Change', exact: true }).click();
  await dialog.getByLabel('Expires').fill('2098-12-31');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(record.getByText('31 Dec 2098')).toBeVisible();
  await record.getByRole('button', { name: 'Change', exact: true }).click();
  await dialog.getByLabel('Expires').fill('');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(record.getByText('Never')).toBeVisible();

  await expect(record.getByText('All versions')).toBeVisible();
  await record.getByRole('button', { name: 'Change updates' }).click();
  await dialog.getByLabel('Updates until').fill('2097-06-30');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(record.getByText('30 Jun 2097')).toBeVisible();
  await record.getByRole('button', { name: 'Change updates' }).click();
  await expect(dialog.getByLabel('Updates until')).toHaveValue('2097-06-30');
  await dialog.getByLabel('Updates until').fill('');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(record.getByText('All versions')).toBeVisible();

  await record.getByRole('button', { name: 'Change limit' }).click();
  await expect(dialog).toContainText('1 device, which stays activated');
  await dialog.getByLabel('Device limit').fill('7');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(record.getByText('1 of 7 devices')).toBeVisible();
});

test('the overview leads to the licenses that end soon, and the list can be limited to other periods', async ({
  signedIn: page,
  server,
}) => {
  const daysFromNow = (days: number) => new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString();
  const issue = async (...words: string[]) => {
    const { license } = await server.admin(['license', 'issue', ...words]);
    return (license as { key_preview: string }).key_preview;
  };
  const soon = await issue('--expires-at', daysFromNow(10));
  const later = await issue('--expires-at', daysFromNow(40));
  await issue();

  await page.reload();
  const attention = page.getByRole('listitem').filter({ hasText: '1 active license ends within 14 days.' });
  await attention.getByRole('link').click();
  const table = page.getByRole('table', { name: 'Licenses' });
  await expect(table.getByText(soon)).toBeVisible();
  await expect(table.getByRole('row')).toHaveCount(2);
  await page.getByLabel('Ends', { exact: true }).selectOption('within 90 days');
  await expect(table.getByText(later)).toBeVisible();
  await expect(table.getByRole('row')).toHaveCount(3);
});

test('a released device that may work offline keeps its place until staff free it', async ({
  signedIn: page,
  server,
}) => {
  const user = await server.seedUser('katherine@lab.example');
  await releaseWithLease(server.url, user);
  await page.goto(`${server.url}/admin#/licenses?open=${user.licenseId}`);
  const record = page.getByRole('complementary', { name: 'Details' });
  await expect(record.getByText('1 of 3 devices')).toBeVisible();
  const device = record.getByRole('listitem').filter({ hasText: 'Studio Mac' });
  await expect(device).toContainText('It may still work offline, so its place is free from');
  await device.getByRole('button', { name: 'Free place' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Free place' }).click();
  await expect(page.getByText('The place of Studio Mac is free.')).toBeVisible();
  await expect(device).toHaveCount(0);
  await expect(record.getByText('0 of 3 devices')).toBeVisible();
});

test('a device can be released from the list of devices, and from its license', async ({ signedIn: page, server }) => {
  const user = await server.seedUser('ada@lab.example');
  await activate(server.url, user.email, user.licenseKey, 'Lab PC');
  await page.getByRole('link', { name: 'Devices', exact: true }).click();
  await page.getByRole('link', { name: 'Lab PC' }).click();
  const record = page.getByRole('complementary', { name: 'Details' });
  await expect(record.getByText('ada@lab.example')).toBeVisible();
  await record.getByRole('button', { name: 'Release' }).click();
  await expect(page.getByRole('alertdialog')).toContainText(
    'which belongs to ada@lab.example. One device loses its plan',
  );
  await page.getByRole('alertdialog').getByRole('button', { name: 'Release' }).click();
  await expect(page.getByText('Lab PC was released.')).toBeVisible();
  await expect(page.getByRole('table', { name: 'Devices' }).getByRole('row')).toHaveCount(2);

  await page.getByRole('link', { name: 'Studio Mac' }).click();
  await record.getByRole('link', { name: /^SVC-/ }).click();
  await expect(record.getByText('1 of 3 devices')).toBeVisible();
  await record.getByRole('button', { name: 'Release' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Release' }).click();
  await expect(record.getByText('Not activated on any device.')).toBeVisible();
});

test('a license without an owner is claimed by the first account that activates it', async ({
  signedIn: page,
  server,
}) => {
  await page.keyboard.press('Control+k');
  await page.keyboard.type('issue');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Plan').selectOption('standard');
  await dialog.getByLabel('Email').press('Enter');
  const key = await dialog.getByLabel('License key').innerText();
  await expect(dialog).toContainText('for the first account that activates it');
  await dialog.getByRole('button', { name: 'I have saved it' }).click();
  await expect(page.getByText('Not claimed yet')).toBeVisible();
  await server.admin(['user', 'create', '--email', 'ada@lab.example', '--password-stdin'], userPassword);
  await activate(server.url, 'ada@lab.example', key);
  await page.reload();
  await expect(page.getByRole('table').getByText('ada@lab.example')).toBeVisible();
});

test('the key of an issued license can be copied', async ({ signedIn: page, context, server }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${server.url}/admin#/licenses?new=1`);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Issue license' }).click();
  const key = await dialog.getByLabel('License key').innerText();
  await dialog.getByRole('button', { name: 'Copy' }).click();
  await expect(dialog.getByText('Copied.')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
});

test('a device shared by copies of a machine is marked, in the list and in its record', async ({
  signedIn: page,
  server,
}) => {
  const { deviceId } = await server.seedUser('ada@lab.example');
  server.markSharedDevices();
  await page.getByRole('link', { name: 'Devices', exact: true }).click();
  const row = page.getByRole('row').filter({ hasText: 'more than one installation' });
  await expect(row).toHaveCount(1);
  await row.getByRole('link').first().click();
  const record = page.getByRole('complementary', { name: 'Details' });
  await expect(record).toContainText(deviceId);
  await expect(record).toContainText('Several installations used this device ID at the same time, last 1 hour ago.');
});

test('a license whose subscription gives no access says that it is not valid, and whose subscription it is', async ({
  signedIn: page,
  server,
}) => {
  const user = await server.seedUser('ada@lab.example');
  await page.goto(`${server.url}/admin#/licenses?open=${user.licenseId}`);
  const record = page.getByRole('complementary', { name: 'Details' });
  const reason = record.getByText('Not valid now: the subscription of ada@lab.example gives no access.');
  await expect(record.getByText('Active', { exact: true })).toBeVisible();
  await expect(reason).toHaveCount(0);
  await server.admin(['subscription', 'set', user.email, '--plan', 'standard', '--status', 'canceled']);
  await page.reload();
  await expect(reason).toBeVisible();
  expect(await validate(server.url, user)).toMatchObject({ valid: false, code: 'SUBSCRIPTION_INACTIVE' });
  await record.getByRole('link', { name: user.email }).click();
  await expect(record.getByRole('listitem').filter({ hasText: 'SVC-' })).toContainText('Not valid now');
});
