/** Users of a keyboard or a screen reader stay where they are when a press begins work, or removes its control. */
import { noUpdates } from '../../shared/ipc/updates.ts';
import { filledState, firstRunState, sampleFailure } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const offered = { ...noUpdates('4.2.0'), checkedAt: new Date(now).toISOString(), available: '4.3.0' };

for (const [name, command, hash] of [
  ['Check for updates', 'checkForUpdates', '#installer'],
  ['Install and restart', 'installUpdate', '#installer'],
  ['Verify this installation', 'verifyInstallation', '#installer'],
  ['Choose a folder…', 'chooseForKeyScan', '#api-key'],
] as const) {
  test(`${name} keeps the focus while it works and after it, and works once`, async ({ page, open }) => {
    const failure = sampleFailure('CANCELED', now);
    const script = { [command]: [{ result: { ok: false as const, failure }, isHeld: true }] };
    const fake = await open({ ...filledState(now), updates: offered }, { hash, script });
    const button = page.getByRole('button', { name });
    await button.focus();
    await page.keyboard.press('Enter');
    await expect(button).toBeDisabled();
    await expect(button).toBeFocused();
    await page.keyboard.press('Enter');
    await fake.release();
    await expect(button).toBeEnabled();
    await expect(button).toBeFocused();
    expect(await fake.calls(command)).toHaveLength(1);
  });
}

test('a press that opens another screen leaves the focus on that screen', async ({ page, open }) => {
  await open(firstRunState(now));
  await page.getByRole('button', { name: 'Verify' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Installer' })).toBeVisible();
  await expect(page.getByRole('main')).toBeFocused();
});

for (const name of ['Enter license key', 'Enter key']) {
  test(`after “${name}” the key can be typed at once`, async ({ page, open }) => {
    await open(firstRunState(now));
    await page.getByRole('button', { name, exact: true }).click();
    await expect(page.getByLabel('License key')).toBeFocused();
    await page.getByRole('link', { name: 'Overview' }).click();
    const link = page.getByRole('link', { name: 'Devices' });
    await link.click();
    await expect(page.getByLabel('License key')).toBeVisible();
    await expect(link).toBeFocused();
  });
}

test('a control that disappears leaves the focus on the screen', async ({ page, open }) => {
  const working = { ...offered, working: 'installing' as const };
  const progress = { doneBytes: 1, totalBytes: 2, bytesPerSecond: 1 };
  const fake = await open({ ...filledState(now), updates: { ...working, progress } }, { hash: '#installer' });
  const main = page.getByRole('main');
  const press = async (name: string) => {
    await page.getByRole('button', { name, exact: true }).focus();
    await page.keyboard.press('Enter');
  };
  await press('Cancel');
  await fake.push({ updates: offered });
  await expect(main).toBeFocused();
  await press('Later');
  await expect(main).toBeFocused();
  await fake.open({ kind: 'unknown-link', id: 'r-1' });
  await press('Close');
  await expect(main).toBeFocused();
});
