/** The installer screen: choosing, dropping and verifying a file, its progress and its result. */
import type { InstallerState } from '../../shared/ipc/app-state.ts';
import { filledState, sampleFailure } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const hash = '#installer';
const file = {
  fileName: 'latchkey-4.2.0.AppImage',
  version: '4.2.0',
  hash: `sha256:${'ab'.repeat(32)}`,
  bytes: 104_857_600,
  checkedAt: new Date(now).toISOString(),
};

function stateWith(installer: InstallerState) {
  return { ...filledState(now), installer };
}

test('a file can be chosen or dropped, and this installation’s own installer verified', async ({ page, open }) => {
  const fake = await open(filledState(now), { hash });
  await page.getByRole('button', { name: 'Choose a file…' }).click();
  await page.getByRole('button', { name: 'Verify this installation' }).click();
  const transfer = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['x'], 'dropped.exe'));
    return data;
  });
  await page
    .getByRole('region', { name: 'Drop an installer file here' })
    .dispatchEvent('drop', { dataTransfer: transfer });
  await expect
    .poll(async () => (await fake.calls()).filter(({ command }) => /choose|verify/.test(command)))
    .toEqual([
      { command: 'chooseInstaller', input: undefined },
      { command: 'verifyInstallation', input: undefined },
      { command: 'verifyInstaller', input: { path: '/dropped/dropped.exe' } },
    ]);
});

test('verifying shows progress and speed and can be canceled', async ({ page, open }) => {
  const fake = await open(
    stateWith({
      kind: 'verifying',
      fileName: 'a.exe',
      doneBytes: 50_000_000,
      totalBytes: 200_000_000,
      bytesPerSecond: 610_000_000,
    }),
    { hash },
  );
  const progress = page.getByRole('progressbar', { name: 'Verifying' });
  await expect(progress).toHaveAttribute('aria-valuenow', '50000000');
  await expect(progress).toHaveAttribute('aria-valuetext', /50\.0 MB of 200\.0 MB · 610\.0 MB\/s/);
  await expect(page.getByRole('button', { name: 'Choose a file…' })).toBeDisabled();
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await fake.calls('cancelVerification')).toHaveLength(1);
});

test('a genuine file is shown with its version and platform', async ({ page, open }) => {
  await open(stateWith({ kind: 'genuine', platform: 'linux_amd64', newerVersion: null, ...file }), { hash });
  await expect(page.getByText('Genuine', { exact: true })).toBeVisible();
  await expect(
    page.getByText('This file matches the published installer of version 4.2.0 for Linux (x64).'),
  ).toBeVisible();
});

test('a file of an earlier version is genuine, and the published version is named', async ({ page, open }) => {
  const earlier = { ...file, version: '4.1.0', newerVersion: '4.2.0' };
  await open(stateWith({ kind: 'genuine', platform: 'linux_amd64', ...earlier }), { hash });
  await expect(page.getByText('Genuine', { exact: true })).toBeVisible();
  await expect(page.getByText('version 4.1.0 for Linux (x64), an earlier version.')).toBeVisible();
  await expect(page.getByText('Version 4.2.0 has been published since.')).toBeVisible();
});

test('a file that is not genuine comes with a warning not to run it', async ({ page, open }) => {
  const fake = await open(stateWith({ kind: 'not-genuine', earlierKnown: true, ...file }), { hash });
  await expect(page.getByText('Not genuine', { exact: true })).toBeVisible();
  await expect(page.getByText('nor of an earlier one. Do not run it.')).toBeVisible();
  await fake.push({ installer: { kind: 'not-genuine', earlierKnown: false, ...file } });
  await expect(page.getByText('Unless you know that it is an earlier version, do not run it.')).toBeVisible();
});

test('without published installers there is no result', async ({ page, open }) => {
  await open(stateWith({ kind: 'not-published', checkedAt: file.checkedAt }), { hash });
  await expect(page.getByText('No published installers to compare with')).toBeVisible();
});

test('a verification that finds no published installers says so once', async ({ page, open }) => {
  await open(filledState(now), {
    hash,
    script: {
      chooseInstaller: [
        {
          result: { ok: false, failure: sampleFailure('INSTALLER_NOT_PUBLISHED', now) },
          state: { installer: { kind: 'not-published', checkedAt: file.checkedAt } },
        },
      ],
    },
  });
  await page.getByRole('button', { name: 'Choose a file…' }).click();
  await expect(page.getByText('No published installers to compare with')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Choose a file…' })).toBeEnabled();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('an unreadable file shows an alert', async ({ page, open }) => {
  await open(stateWith({ kind: 'failed', fileName: 'a.exe', failure: sampleFailure('FILE_UNREADABLE', now) }), {
    hash,
  });
  await expect(page.getByRole('alert')).toContainText('The file could not be read.');
});

test('an installation that does not know its installer says so', async ({ page, open }) => {
  const state = filledState(now);
  await open({ ...state, app: { ...state.app, ownInstallerKnown: false } }, { hash });
  const button = page.getByRole('button', { name: 'Verify this installation' });
  await expect(button).toBeDisabled();
  await expect(button).toHaveAccessibleDescription(/does not know which file it was installed from/);
});

test('canceling the file chooser is not a failure', async ({ page, open }) => {
  await open(filledState(now), {
    hash,
    script: { chooseInstaller: [{ result: { ok: false, failure: sampleFailure('CANCELED', now) } }] },
  });
  await page.getByRole('button', { name: 'Choose a file…' }).click();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a failure is gone once another verification, begun in the palette, has a result', async ({ page, open }) => {
  const failure = sampleFailure('FILE_UNREADABLE', now);
  const genuine = { kind: 'genuine', platform: 'linux_amd64', newerVersion: null, ...file } as const;
  await open(filledState(now), {
    hash,
    script: {
      chooseInstaller: [
        { result: { ok: false, failure }, state: { installer: { kind: 'failed', fileName: 'a.exe', failure } } },
      ],
      verifyInstallation: [{ result: { ok: true, value: null }, state: { installer: genuine } }],
    },
  });
  await page.getByRole('button', { name: 'Choose a file…' }).click();
  await expect(page.getByRole('alert')).toContainText('The file could not be read.');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('verify this');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Genuine', { exact: true })).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a failure that is not part of the state stays while the state changes otherwise', async ({ page, open }) => {
  const failure = sampleFailure('SERVER_UNREACHABLE', now);
  const fake = await open(filledState(now), {
    hash,
    script: { chooseInstaller: [{ result: { ok: false, failure } }] },
  });
  await page.getByRole('button', { name: 'Choose a file…' }).click();
  await expect(page.getByRole('alert')).toHaveCount(1);
  await fake.push({ ...filledState(now), apiKey: null });
  await expect(page.getByRole('button', { name: 'Choose a file…' })).toBeEnabled();
  await expect(page.getByRole('alert')).toHaveCount(1);
});
