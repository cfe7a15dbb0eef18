/** The connection doctor: opened when the server could not be reached, it says what is wrong and what to do. */
import type { DoctorReport } from '../../shared/ipc/doctor.ts';
import {
  doctorReport,
  filledState,
  firstServerState,
  offlineState,
  sampleFailure,
  signedOutState,
  skippedAfter,
} from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const silent = doctorReport(
  { tcp: 'connection-refused', ...skippedAfter('tcp') },
  { address: null, tcp: 'ECONNREFUSED', dns: '192.0.2.7' },
);
const passed = doctorReport({});
const inspected = doctorReport(
  { tls: 'certificate-issuer', ...skippedAfter('tls'), clock: 'clock-ahead' },
  {
    clock: '12 min',
    tls: {
      issuer: 'Web Shield, Shield Root',
      expires_at: '2027-03-03T09:00:00.000Z',
      protocol: 'TLSv1.3',
      code: 'SELF_SIGNED_CERT_IN_CHAIN',
    },
  },
);
const succeed = (value: DoctorReport) => ({ result: { ok: true, value } }) as const;
const runDoctor = [succeed(silent), succeed(passed)];

test('the doctor opens from the details of the offline state, and closing it returns the focus', async ({
  page,
  open,
}) => {
  const fake = await open(offlineState(now), { script: { runDoctor } });
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Connection doctor' }).click();
  const doctor = page.getByRole('dialog', { name: 'Connection doctor' });
  const steps = doctor.getByRole('list', { name: 'Connection doctor' }).getByRole('listitem');
  await expect(steps).toHaveCount(10);
  await expect(steps.nth(0)).toContainText('OK');
  await expect(steps.nth(2)).toContainText('nothing accepts connections on this port.');
  await expect(steps.nth(2)).toContainText('Check the port, or ask the administrator of the server to start it.');
  await expect(steps.nth(2)).toContainText('ECONNREFUSED');
  await expect(steps.nth(2)).toContainText('7.5 ms');
  await expect(steps.nth(2)).toContainText('failed');
  await expect(steps.nth(9)).toContainText('skipped');
  await expect(steps.nth(9)).not.toContainText('ms');
  await expect(doctor.getByRole('status')).toContainText('Failed: Connection.');
  await doctor.getByRole('button', { name: 'Check again' }).click();
  for (const step of await steps.all()) await expect(step).toContainText('OK');
  await expect(doctor.getByRole('status')).toHaveText('All steps are OK.');
  expect(await fake.calls('runDoctor')).toHaveLength(2);
  expect(await fake.calls('cancelDoctor')).toHaveLength(0);
  await page.keyboard.press('Escape');
  await expect(doctor).toBeHidden();
  await expect(page.getByRole('button', { name: 'Details' })).toBeFocused();
});

test('the doctor opens from the alert of a sign-in that could not reach the server', async ({ page, open }) => {
  await open(signedOutState(now), {
    script: { signIn: [{ result: { ok: false, failure: sampleFailure('SERVER_UNREACHABLE', now) } }], runDoctor },
  });
  await page.getByLabel('Email', { exact: true }).fill('ada@lab.org');
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('alert').getByRole('button', { name: 'Connection doctor' }).click();
  await expect(page.getByRole('dialog', { name: 'Connection doctor' })).toContainText('ECONNREFUSED');
});

test('signed out, the remedy that changes the server leads to the field with its address', async ({ page, open }) => {
  const value = doctorReport({ dns: 'name-not-found', ...skippedAfter('dns') }, { dns: 'ENOTFOUND' });
  await open(signedOutState(now), { script: { runDoctor: [succeed(value)] } });
  await page.getByRole('button', { name: 'Connection doctor' }).click();
  await page.getByRole('button', { name: 'Change server' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByLabel('Server address')).toBeFocused();
  expect(new URL(page.url()).hash).not.toContain('settings');
});

test('the remedy keeps an address that was typed already, and focuses its field', async ({ page, open }) => {
  const value = doctorReport({ dns: 'name-not-found', ...skippedAfter('dns') }, { dns: 'ENOTFOUND' });
  await open(signedOutState(now), { script: { runDoctor: [succeed(value)] } });
  await page.getByRole('button', { name: 'Use another server' }).click();
  await page.getByLabel('Server address').fill('https://other.exam');
  await page.getByRole('button', { name: 'Connection doctor' }).click();
  await page.getByRole('button', { name: 'Change server' }).click();
  await expect(page.getByLabel('Server address')).toBeFocused();
  await expect(page.getByLabel('Server address')).toHaveValue('https://other.exam');
});

test('before the first server is chosen, the remedy focuses the address once, and not again at the sign-in', async ({
  page,
  open,
}) => {
  const value = doctorReport({ address: 'address-missing', ...skippedAfter('address') });
  const fake = await open(firstServerState(now), { script: { runDoctor: [succeed(value)] } });
  await page.getByRole('button', { name: 'Connection doctor' }).click();
  await page.getByRole('button', { name: 'Change server' }).click();
  await expect(page.getByLabel('Server address')).toBeFocused();
  await fake.push(signedOutState(now));
  await expect(page.getByLabel('Email', { exact: true })).toBeFocused();
  await expect(page.getByLabel('Server address')).toHaveCount(0);
});

test('it shows and announces the steps as they are checked, and closing it ends the check', async ({ page, open }) => {
  const fake = await open(offlineState(now), { script: { runDoctor: [{ ...succeed(passed), isHeld: true }] } });
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Connection doctor' }).click();
  const doctor = page.getByRole('dialog', { name: 'Connection doctor' });
  const steps = doctor.getByRole('listitem');
  const progress = (done: number, running: 'dns' | 'tls') =>
    fake.push({ doctor: { running, report: { ...passed, steps: passed.steps.slice(0, done) } } });
  await progress(1, 'dns');
  await expect(doctor.getByRole('status')).toHaveText('Step 2 of 10: Server name');
  await expect(steps.nth(0)).toContainText('OK');
  await expect(steps.nth(1)).toContainText('checking…');
  await expect(steps.nth(2)).toContainText('waiting');
  await progress(3, 'tls');
  await expect(doctor.getByRole('status')).toHaveText('Step 4 of 10: Encryption');
  await expect(steps.nth(1)).toContainText('5 ms');
  await expect(doctor.getByRole('button', { name: 'Copy report' })).toBeDisabled();
  await page.keyboard.press('Escape');
  await expect(doctor).toBeHidden();
  expect(await fake.calls('cancelDoctor')).toHaveLength(1);
});

test('a canceled check is reported, and can be started again', async ({ page, open }) => {
  const canceled = { result: { ok: false, failure: sampleFailure('CANCELED', now) }, isHeld: true } as const;
  const fake = await open(offlineState(now), { script: { runDoctor: [canceled, succeed(passed)] } });
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Connection doctor' }).click();
  const doctor = page.getByRole('dialog', { name: 'Connection doctor' });
  await doctor.getByRole('button', { name: 'Cancel' }).click();
  expect(await fake.calls('cancelDoctor')).toHaveLength(1);
  await fake.release();
  await expect(doctor.getByRole('status')).toHaveText('The check was canceled.');
  await doctor.getByRole('button', { name: 'Check again' }).click();
  await expect(doctor.getByRole('status')).toHaveText('All steps are OK.');
});

test('the doctor names the issuer of an untrusted certificate', async ({ page, open }) => {
  await open(offlineState(now), { script: { runDoctor: [succeed(inspected)] } });
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Connection doctor' }).click();
  const steps = page.getByRole('dialog', { name: 'Connection doctor' }).getByRole('listitem');
  await expect(steps.nth(3)).toContainText('does not trust the issuer of the certificate: Web Shield, Shield Root.');
  await expect(steps.nth(3)).toContainText('antivirus');
  await expect(steps.nth(3)).toContainText('TLSv1.3');
  await expect(steps.nth(5)).toContainText('It is ahead of the server’s by 12 min.');
});

test('a remedy can be chosen with only the keyboard', async ({ page, open }) => {
  const report = doctorReport({ seat: 'seat-limit-reached' }, { seat: '3/3' });
  await open(filledState(now), { script: { runDoctor: [succeed(report)] } });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('doctor');
  await page.keyboard.press('Enter');
  const doctor = page.getByRole('dialog', { name: 'Connection doctor' });
  const button = doctor.getByRole('button', { name: 'Go to Devices' });
  await expect(button).toBeVisible();
  for (let presses = 0; presses < 5; presses++) {
    await page.keyboard.press('Tab');
    if (await button.evaluate((element) => element === document.activeElement)) break;
  }
  await expect(button).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(doctor).toBeHidden();
  await expect(page).toHaveURL(/#\/?devices/);
});

test('the whole report can be copied, without the user’s names', async ({ page, open, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const state = filledState(now);
  const deviceName = state.thisDevice?.name ?? '';
  expect(deviceName.length).toBeGreaterThan(2);
  const report = { ...silent, server: `https://${deviceName.replaceAll(' ', '-').toLowerCase()}.lab.org` };
  await open(
    { ...state, thisDevice: state.thisDevice && { ...state.thisDevice, name: deviceName.replaceAll(' ', '-') } },
    { script: { runDoctor: [succeed(report)] } },
  );
  await page.keyboard.press('Control+k');
  await page.keyboard.type('doctor');
  await page.keyboard.press('Enter');
  const doctor = page.getByRole('dialog', { name: 'Connection doctor' });
  await expect(doctor.getByRole('listitem')).toHaveCount(10);
  await doctor.getByRole('button', { name: 'Copy report' }).click();
  await expect(doctor.getByRole('button', { name: 'Copied.' })).toBeVisible();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text.split('\n')).toHaveLength(12);
  expect(text).toContain('https://<name>.lab.org');
  expect(text).toContain('3. Connection: failed.');
  expect(text).toContain('(ECONNREFUSED, 7.5 ms)');
  expect(text).toContain('10. Place on the license: skipped.');
});

test('the doctor fits a window of 400 pixels', async ({ page, open }) => {
  await page.setViewportSize({ width: 400, height: 700 });
  await open(offlineState(now), { script: { runDoctor: [succeed(inspected)] } });
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Connection doctor' }).click();
  const doctor = page.getByRole('dialog', { name: 'Connection doctor' });
  await expect(doctor.getByRole('listitem')).toHaveCount(10);
  expect(await doctor.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true);
});

test('behind a proxy that is given as an IP address, the doctor says of the proxy that it has no name', async ({
  page,
  open,
}) => {
  const report = doctorReport(
    { dns: 'name-not-needed', proxy: 'proxy-used' },
    { dns: '192.0.2.7', proxy: 'PROXY 192.0.2.7:3128' },
  );
  await open(offlineState(now), { script: { runDoctor: [succeed(report)] } });
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Connection doctor' }).click();
  const steps = page.getByRole('list', { name: 'Connection doctor' }).getByRole('listitem');
  await expect(steps.nth(1)).toContainText('The address of the proxy has no name that must be looked up.');
  await expect(steps.nth(1)).toContainText('192.0.2.7');
});
