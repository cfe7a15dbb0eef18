/** axe finds no serious problem on any screen or dialog, light or dark. */
import type { Page } from '@playwright/test';
import { findSerious, rulesOfColors } from '../run/find-serious.ts';
import {
  blockedState,
  doctorReport,
  featuresOf,
  filledState,
  firstRunState,
  firstServerState,
  offlineState,
  sampleFailure,
  samplePlaces,
  signedOutState,
  skippedAfter,
} from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const routes = ['overview', 'features', 'devices', 'api-key', 'installer', 'activity', 'diagnostics', 'settings'];

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });
    const rulesOfScheme = colorScheme === 'light' ? undefined : rulesOfColors;
    const expectNothingSerious = async (page: Page, rules = rulesOfScheme) =>
      expect(await findSerious(page, rules)).toEqual([]);

    for (const route of routes) {
      test(`${route}`, async ({ page, open }) => {
        const fake = await open(filledState(now), { hash: `#${route}` });
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await expectNothingSerious(page);
        await fake.push(offlineState(now));
        await expectNothingSerious(page);
        await fake.push({ ...blockedState(now, 'revoked'), features: featuresOf('free') });
        await expectNothingSerious(page);
        // So low that nearly everything scrolls.
        await page.setViewportSize({ width: 1000, height: 300 });
        await expectNothingSerious(page, ['scrollable-region-focusable']);
      });
    }

    test('an email address to confirm, and the dialog to change it', async ({ page, open }) => {
      await open({ ...filledState(now), isEmailUnconfirmed: true }, { hash: '#settings' });
      await expect(page.getByText('Confirm your email address.')).toBeVisible();
      await expectNothingSerious(page);
      await page.getByRole('button', { name: 'Change email address' }).click();
      await page.getByRole('button', { name: 'Send link' }).click();
      await expect(page.getByLabel('New email address')).toHaveAttribute('aria-invalid', 'true');
      await expectNothingSerious(page);
    });

    test('a link that activates, an answer to import, a QR code, and offline activation from the sign-in', async ({
      page,
      open,
    }) => {
      const rows = Array.from({ length: 25 }, () => Array.from({ length: 25 }, (_, x) => x % 2 === 0));
      const lease = {
        license: 'SVC-7QK2...GH1T',
        plan: 'standard',
        deviceId: 'HW-0',
        expiresAt: '2099-01-01T00:00:00.000Z',
      };
      const fake = await open(filledState(now), {
        hash: '#devices',
        script: {
          showLeaseRequest: [{ result: { ok: true, value: { rows } } }],
          readLease: [{ result: { ok: true, value: lease } }],
        },
      });
      await fake.open({ kind: 'activate', id: 'r-1', keyPreview: 'SVC-7QK2...GH1T' });
      await expect(page.getByRole('alertdialog')).toBeVisible();
      await expectNothingSerious(page);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Show QR code' }).click();
      await expect(page.getByRole('img', { name: 'QR code of the request' })).toBeVisible();
      await expectNothingSerious(page);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Paste answer' }).click();
      await page.getByLabel('Answer', { exact: true }).fill('a.b.c');
      await expect(page.getByRole('button', { name: 'Import', exact: true })).toBeVisible();
      await expectNothingSerious(page);
      await page.keyboard.press('Escape');
      await fake.push(signedOutState(now));
      await fake.open({ kind: 'activate', id: 'r-2', keyPreview: 'SVC-7QK2...GH1T' });
      await page.getByRole('button', { name: 'Offline activation' }).click();
      await expect(page.getByRole('dialog', { name: 'Offline activation' })).toBeVisible();
      await expectNothingSerious(page);
    });

    test('a released device that keeps its place', async ({ page, open }) => {
      await open({ ...filledState(now), places: samplePlaces(now) }, { hash: '#devices' });
      await expect(page.getByText('Field Laptop')).toBeVisible();
      await expectNothingSerious(page);
    });

    test('a revoked API key', async ({ page, open }) => {
      const revoked = { at: new Date(now - 3_600_000).toISOString(), reported: true };
      const apiKey = { prefix: 'svc_live_Zk3v', isLegacy: false, createdAt: revoked.at, revoked, unsaved: false };
      await open({ ...filledState(now), apiKey }, { hash: '#api-key' });
      await expect(page.getByRole('alert')).toBeVisible();
      await expectNothingSerious(page);
    });

    test('leaked keys, and the confirmation before one is revoked', async ({ page, open }) => {
      const scanning = { kind: 'scanning', files: 3, bytes: 9000, found: 1, file: '/home/ada/a.log' } as const;
      const fake = await open({ ...filledState(now), keyScan: scanning }, { hash: '#api-key' });
      await expect(page.getByRole('progressbar')).toBeVisible();
      await expectNothingSerious(page);
      const place = { file: '/home/ada/a.log', line: 3, column: 7, reported: false };
      const keys = [
        { ...place, id: 1, kind: 'api_key', preview: 'svc_live_Zk3v' },
        { ...place, id: 2, kind: 'license_key', preview: 'SVC-AB12...GH7X' },
      ] as const;
      const counts = { files: 3, bytes: 9000, skipped: 1, unreadable: 1, limit: 'bytes' } as const;
      await fake.push({ keyScan: { kind: 'done', keys, ...counts, checkedAt: new Date(now).toISOString() } });
      await expectNothingSerious(page);
      await page.getByRole('button', { name: 'Revoke' }).click();
      await expect(page.getByRole('alertdialog')).toBeVisible();
      await expectNothingSerious(page);
    });

    test('renaming this device', async ({ page, open }) => {
      await open(filledState(now), { hash: '#devices' });
      await page.getByRole('button', { name: 'Rename this device' }).click();
      await page.getByRole('textbox', { name: 'Device name' }).fill('x'.repeat(201));
      await expectNothingSerious(page);
    });

    test('first run', async ({ page, open }) => {
      await open(firstRunState(now));
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expectNothingSerious(page);
    });

    test('the address of the first server, with an error', async ({ page, open }) => {
      await open(firstServerState(now), {
        script: {
          setServerAddress: [{ result: { ok: false, failure: sampleFailure('SERVER_ADDRESS_INVALID', now) } }],
        },
      });
      await expectNothingSerious(page);
      await page.getByLabel('Server address').fill('http://licenses.example.com');
      await page.keyboard.press('Enter');
      await expect(page.getByRole('alert')).toBeVisible();
      await expectNothingSerious(page);
    });

    test('sign-in with an error', async ({ page, open }) => {
      await open(signedOutState(now), {
        script: { signIn: [{ result: { ok: false, failure: sampleFailure('INVALID_CREDENTIALS', now) } }] },
      });
      await page.getByLabel('Email', { exact: true }).fill('ada@lab.org');
      await page.getByLabel('Password', { exact: true }).fill('wrong');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await expect(page.getByRole('alert')).toBeVisible();
      await expectNothingSerious(page);
    });

    test('an installer result and a dialog', async ({ page, open }) => {
      const file = {
        fileName: 'a.exe',
        version: '4.2.0',
        hash: `sha256:${'ab'.repeat(32)}`,
        bytes: 104_857_600,
        checkedAt: new Date(now).toISOString(),
      };
      const fake = await open(
        { ...filledState(now), installer: { kind: 'not-genuine', earlierKnown: true, ...file } },
        { hash: '#installer' },
      );
      await expect(page.getByText('Not genuine', { exact: true })).toBeVisible();
      await expectNothingSerious(page);
      await fake.push({ installer: { kind: 'genuine', platform: 'linux_amd64', newerVersion: '4.3.0', ...file } });
      await expectNothingSerious(page);
      await page.getByRole('link', { name: 'Devices', exact: true }).click();
      await page.getByRole('button', { name: 'Release' }).first().click();
      await expect(page.getByRole('alertdialog')).toBeVisible();
      await expectNothingSerious(page);
    });

    test('the connection doctor', async ({ page, open }) => {
      const value = doctorReport({ tcp: 'connection-refused', ...skippedAfter('tcp') }, { tcp: 'ECONNREFUSED' });
      await open(offlineState(now), { script: { runDoctor: [{ result: { ok: true, value } }] } });
      await page.getByRole('button', { name: 'Details' }).click();
      await page.getByRole('button', { name: 'Connection doctor' }).click();
      await expect(page.getByText('ECONNREFUSED')).toBeVisible();
      await expectNothingSerious(page);
    });

    test('the command palette', async ({ page, open }) => {
      await open(filledState(now));
      await page.keyboard.press('Control+k');
      await expect(page.getByRole('dialog')).toBeVisible();
      await expectNothingSerious(page);
    });
  });
}
