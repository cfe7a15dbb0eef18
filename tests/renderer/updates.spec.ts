/** The updates panel on the installer screen: checking, installing, and the explanation if that is not possible. */
import { noUpdates, type UpdatesState } from '../../shared/ipc/updates.ts';
import { filledState, sampleFailure, signedOutState } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const hash = '#installer';
const checkedAt = new Date(now - 60_000).toISOString();

function stateWith(updates: Partial<UpdatesState>) {
  return { ...filledState(now), updates: { ...noUpdates('4.2.0'), checkedAt, ...updates } };
}

test('asks the server for updates, and says that this is the latest version', async ({ page, open }) => {
  const fake = await open({ ...filledState(now), updates: noUpdates('4.2.0') }, { hash });
  await expect(page.getByText('This is version 4.2.0.')).toBeVisible();
  await page.getByRole('button', { name: 'Check for updates' }).click();
  expect(await fake.calls('checkForUpdates')).toHaveLength(1);
  await fake.push({ updates: { ...noUpdates('4.2.0'), checkedAt, reason: 'up-to-date' } });
  await expect(page.getByText('This is the latest version.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Install and restart' })).toHaveCount(0);
});

test('installs the available version', async ({ page, open }) => {
  const fake = await open(stateWith({ available: '4.3.0' }), { hash });
  await expect(page.getByText('Version 4.3.0 is available')).toBeVisible();
  await page.getByRole('button', { name: 'Install and restart' }).click();
  expect(await fake.calls('installUpdate')).toHaveLength(1);
  await fake.push({ updates: { ...noUpdates('4.2.0'), available: '4.3.0', working: 'installing' } });
  await expect(page.getByText('Downloading and installing…')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Check for updates' })).toBeDisabled();
  await fake.push({ updates: { ...noUpdates('4.2.0'), available: '4.3.0', staged: '4.3.0' } });
  await expect(page.getByText('Version 4.3.0 is downloaded. Latchkey restarts now.')).toBeVisible();
});

test('a download shows its progress and speed, and can be canceled', async ({ page, open }) => {
  const progress = { doneBytes: 42_000_000, totalBytes: 120_000_000, bytesPerSecond: 3_500_000 };
  const fake = await open(stateWith({ available: '4.3.0', working: 'installing', progress }), { hash });
  const bar = page.getByRole('progressbar', { name: 'Downloading' });
  await expect(bar).toHaveAttribute('aria-valuetext', '42.0 MB of 120.0 MB · 3.5 MB/s');
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await fake.calls('cancelUpdate')).toHaveLength(1);
  await fake.push(stateWith({ available: '4.3.0' }));
  await expect(bar).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Install and restart' })).toBeEnabled();
});

test('a download that has come to a stop says so and shows no speed, until it goes on', async ({ page, open }) => {
  await page.clock.install({ time: now });
  const progress = { doneBytes: 42_000_000, totalBytes: 120_000_000, bytesPerSecond: 3_500_000 };
  const downloading = { available: '4.3.0', working: 'installing', progress } as const;
  const fake = await open(stateWith(downloading), { hash });
  const bar = page.getByRole('progressbar', { name: 'Downloading' });
  await expect(bar).toHaveAttribute('aria-valuetext', '42.0 MB of 120.0 MB · 3.5 MB/s');
  await page.clock.fastForward(5000);
  await expect(bar).toHaveAttribute('aria-valuetext', '42.0 MB of 120.0 MB · no progress for a while');
  await expect(page.locator('.updates-progress [aria-live]')).toContainText('no progress for a while');
  await fake.push(stateWith({ ...downloading, progress: { ...progress, doneBytes: 43_000_000 } }));
  await expect(bar).toHaveAttribute('aria-valuetext', '43.0 MB of 120.0 MB · 3.5 MB/s');
  await expect(page.getByText('no progress for a while')).toHaveCount(0);
  // All of it is there, and is being checked.
  await fake.push(stateWith({ ...downloading, progress: { ...progress, doneBytes: 120_000_000 } }));
  await page.clock.fastForward(5000);
  await expect(page.getByText('no progress for a while')).toHaveCount(0);
});

test('the link to the screen says that a version is available, until it is installed', async ({ page, open }) => {
  const fake = await open(stateWith({ available: '4.3.0' }));
  const link = page.getByRole('link', { name: 'Installer', exact: true });
  await expect(link).toHaveAccessibleDescription('Version 4.3.0 is available');
  await expect(page.getByRole('listitem').filter({ has: link }).locator('.nav-dot')).toBeVisible();
  await fake.push(stateWith({ reason: 'up-to-date' }));
  await expect(link).not.toHaveAttribute('aria-description');
  await expect(page.locator('.nav-dot')).toHaveCount(0);
});

test('a version that is known can still be installed while the server cannot be reached', async ({ page, open }) => {
  const failure = sampleFailure('SERVER_UNREACHABLE', now);
  const fake = await open(stateWith({ available: '4.3.0', failure }), { hash });
  await expect(page.getByText('Version 4.3.0 is available')).toBeVisible();
  await expect(page.getByText('The server could not be reached.')).toHaveCount(1);
  await page.getByRole('button', { name: 'Install and restart' }).click();
  expect(await fake.calls('installUpdate')).toHaveLength(1);
  await fake.push(stateWith({ reason: 'unreachable', failure }));
  await expect(page.getByRole('button', { name: 'Install and restart' })).toHaveCount(0);
  await page.getByRole('region', { name: 'Updates' }).getByRole('button', { name: 'Connection doctor' }).click();
  await expect(page.getByRole('dialog', { name: 'Connection doctor' })).toBeVisible();
});

test('Later hides the version until the next check', async ({ page, open }) => {
  await open(stateWith({ available: '4.3.0' }), { hash });
  await page.getByRole('button', { name: 'Later' }).click();
  await expect(page.getByText('Version 4.3.0 is available')).toHaveCount(0);
  await page.getByRole('button', { name: 'Check for updates' }).click();
  await expect(page.getByText('Version 4.3.0 is available')).toBeVisible();
});

test('warns that features stop if the version was released after the update period of the license', async ({
  page,
  open,
}) => {
  await open(stateWith({ available: '4.3.0', featuresStopAfter: '2026-01-31T12:00:00.000Z' }), { hash });
  await expect(page.getByText(/versions released until .*2026, and this one is newer/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Install and restart' })).toBeEnabled();
});

for (const [reason, text] of [
  ['system-package', /with your package manager/],
  ['snap', /snap refresh latchkey/],
  ['flatpak', /flatpak update/],
  ['portable', /replace this one with it/],
  ['not-packaged', /runs in a browser or from its source/],
] as const) {
  test(`an installation of the kind ${reason} says how to update it, and installs nothing`, async ({ page, open }) => {
    await open(stateWith({ available: '4.3.0', reason }), { hash });
    await expect(page.getByText(text)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Install and restart' })).toHaveCount(0);
  });
}

test('an app without keys opens the download in the browser', async ({ page, open }) => {
  const fake = await open(stateWith({ available: '4.3.0', reason: 'no-keys' }), { hash });
  await expect(page.getByText(/cannot tell whether an update is genuine/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Install and restart' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Download in the browser' }).click();
  expect(await fake.calls('openUpdateDownload')).toHaveLength(1);
});

test('a failed update keeps the old version, says so and can be tried again', async ({ page, open }) => {
  const failure = sampleFailure('UPDATE_FAILED', now, { fileProblem: 'disk-full' });
  await open(stateWith({ available: '4.3.0', reason: 'install-failed', failure }), { hash });
  await expect(page.getByText('The update was not installed. Latchkey continues with version 4.2.0.')).toBeVisible();
  await expect(page.getByText('The disk is full. Free up some space.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Install and restart' })).toBeEnabled();
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('an update that the publisher has not signed is refused with a single message', async ({ page, open }) => {
  await open(stateWith({ reason: 'refused', failure: sampleFailure('UPDATE_REFUSED', now) }), { hash });
  await expect(page.getByText(/has not signed. Nothing was installed/)).toHaveCount(1);
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('every screen says that the app restarts for an update', async ({ page, open }) => {
  const fake = await open(stateWith({ available: '4.3.0', staged: '4.3.0' }), { hash: '#devices' });
  const notice = page.getByText('Version 4.3.0 is downloaded. Latchkey restarts now.');
  await expect(notice).toBeVisible();
  await page.getByRole('link', { name: 'Installer', exact: true }).click();
  await expect(notice).toHaveCount(1);
  await page.getByRole('link', { name: 'Devices' }).click();
  await fake.push(stateWith({ available: '4.3.0', reason: 'install-failed' }));
  await expect(notice).toHaveCount(0);
});

test('after an update the window says so on every screen, until the user dismisses it', async ({ page, open }) => {
  const state = filledState(now);
  const app = { ...state.app, version: '4.3.0', updatedFrom: '4.2.0' };
  const fake = await open({ ...state, app }, { hash: '#devices' });
  const notice = page.getByRole('status').filter({ hasText: 'Latchkey was updated to version 4.3.0' });
  await expect(notice).toContainText('It was version 4.2.0 before.');
  await notice.getByRole('button', { name: 'What’s new' }).click();
  expect((await fake.calls('openLink')).map(({ input }) => input)).toEqual([{ name: 'releases' }]);
  await notice.getByRole('button', { name: 'Dismiss' }).focus();
  await page.keyboard.press('Enter');
  await expect(notice).toHaveCount(0);
  await expect(page.locator('#content')).toBeFocused();
  await fake.push({ app: { ...app } });
  await expect(notice).toHaveCount(0);
});

test('what is new can be seen before installing, if there is a page about it', async ({ page, open }) => {
  const state = stateWith({ available: '4.3.0' });
  const fake = await open(state, { hash });
  const button = page.getByRole('button', { name: 'What’s new' });
  await button.click();
  expect((await fake.calls('openLink')).map(({ input }) => input)).toEqual([{ name: 'releases' }]);
  await fake.push({ app: { ...state.app, links: [] } });
  await expect(button).toHaveCount(0);
});

test('a user who is signed out, perhaps because this version cannot sign in, can check for updates and install one', async ({
  page,
  open,
}) => {
  const fake = await open({ ...signedOutState(now), updates: noUpdates('4.2.0') });
  await page.getByRole('button', { name: 'Updates', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Updates' });
  await dialog.getByRole('button', { name: 'Check for updates' }).click();
  expect(await fake.calls('checkForUpdates')).toHaveLength(1);
  await fake.push({ updates: { ...noUpdates('4.2.0'), checkedAt, available: '4.3.0' } });
  await dialog.getByRole('button', { name: 'Install and restart' }).click();
  expect(await fake.calls('installUpdate')).toHaveLength(1);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Version 4.3.0 is available' })).toBeFocused();
});

test('a failure stays until the next check, which may begin in the menu', async ({ page, open }) => {
  const failure = sampleFailure('UPDATE_UNAVAILABLE', now);
  const fake = await open(stateWith({ available: '4.3.0' }), {
    hash,
    script: { installUpdate: [{ result: { ok: false, failure } }] },
  });
  await page.getByRole('button', { name: 'Install and restart' }).click();
  await expect(page.getByRole('alert')).toHaveCount(1);
  // The state that ends the installation comes after its result.
  await fake.push(stateWith({ available: '4.3.0' }));
  await expect(page.getByRole('alert')).toHaveCount(1);
  await fake.push(stateWith({ available: '4.3.0', working: 'checking' }));
  await expect(page.getByRole('alert')).toHaveCount(0);
});
