/** The connection doctor: opened where the server could not be reached, it says what is wrong and what to do. */
import type { DoctorFinding, DoctorReport, DoctorStep } from '../../shared/ipc/doctor.ts';
import { filledState, offlineState, sampleFailure, signedOutState } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();

function report(findings: Readonly<Record<DoctorStep['step'], DoctorFinding>>, detail: string | null): DoctorReport {
  const steps = Object.entries(findings) as [DoctorStep['step'], DoctorFinding][];
  return {
    at: new Date(now).toISOString(),
    serverAddress: 'https://license.lab.org',
    steps: steps.map(([step, finding]) => ({ step, finding, detail: step === 'response' ? detail : null })),
  };
}

const silent = report(
  {
    address: 'address-valid',
    response: 'connection-refused',
    'license-server': 'skipped',
    clock: 'skipped',
    session: 'skipped',
  },
  'ECONNREFUSED',
);
const healed = report(
  {
    address: 'address-valid',
    response: 'server-responds',
    'license-server': 'license-server',
    clock: 'clock-in-sync',
    session: 'session-accepted',
  },
  null,
);
const runDoctor = [{ result: { ok: true, value: silent } }, { result: { ok: true, value: healed } }] as const;

test('the details of the offline state open it, and closing returns the focus', async ({ page, open }) => {
  const fake = await open(offlineState(now), { script: { runDoctor } });
  await page.getByRole('button', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Connection doctor' }).click();
  const doctor = page.getByRole('dialog', { name: 'Connection doctor' });
  const steps = doctor.getByRole('list', { name: 'Connection doctor' }).getByRole('listitem');
  await expect(steps).toHaveCount(5);
  await expect(steps.nth(0)).toContainText('OK');
  await expect(steps.nth(1)).toContainText('Check the port, or ask the server administrator to start the server.');
  await expect(steps.nth(1)).toContainText('ECONNREFUSED failed');
  await expect(steps.nth(4)).toContainText('unknown');
  await doctor.getByRole('button', { name: 'Check again' }).click();
  for (const step of await steps.all()) await expect(step).toContainText('OK');
  expect(await fake.calls('runDoctor')).toHaveLength(2);
  await page.keyboard.press('Escape');
  await expect(doctor).toBeHidden();
  await expect(page.getByRole('button', { name: 'Details' })).toBeFocused();
});

test('the alert of a sign-in that could not reach the server opens it', async ({ page, open }) => {
  await open(signedOutState(now), {
    script: { signIn: [{ result: { ok: false, failure: sampleFailure('SERVER_UNREACHABLE', now) } }], runDoctor },
  });
  await page.getByLabel('Email', { exact: true }).fill('ada@lab.org');
  await page.getByLabel('Password', { exact: true }).fill('correct horse');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('alert').getByRole('button', { name: 'Connection doctor' }).click();
  await expect(page.getByRole('dialog', { name: 'Connection doctor' })).toContainText('ECONNREFUSED');
});

test('the whole report can be copied', async ({ page, open, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(filledState(now), { script: { runDoctor } });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('doctor');
  await page.keyboard.press('Enter');
  const doctor = page.getByRole('dialog', { name: 'Connection doctor' });
  await expect(doctor.getByRole('listitem')).toHaveCount(5);
  await doctor.getByRole('button', { name: 'Copy all' }).click();
  await expect(doctor.getByRole('button', { name: 'Copied.' })).toBeVisible();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text.split('\n')).toHaveLength(7);
  expect(text).toContain('https://license.lab.org');
  expect(text).toContain('The server responds: failed.');
  expect(text).toContain('(ECONNREFUSED)');
});
