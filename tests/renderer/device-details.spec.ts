/** The details of a device: what is known about it and its license, and nothing else. */
import type { AppState } from '../../shared/ipc/app-state.ts';
import { filledState, sampleDevice } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();
const hash = '#devices';
const full = 'HW-01234567-89ABCDEF-01234567-89ABCDEF';

test.beforeEach(({ page }) => page.clock.setFixedTime(now));

test('this device shows its id, version, times, lease and license, and the focus returns to where it came from', async ({
  page,
  open,
}) => {
  await open(filledState(now), { hash });
  const opener = page.getByRole('button', { name: 'About Studio Mac' });
  await opener.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Studio Mac' });
  await expect(dialog).toContainText('HW-01234567…89ABCDEF');
  await expect(dialog).not.toContainText(full);
  await expect(dialog).toContainText('macOS arm64');
  await expect(dialog).toContainText('Version');
  await expect(dialog).toContainText(/Last heartbeat.*2 minutes ago/);
  await expect(dialog).toContainText(/Works offline\s*until/);
  const license = dialog.getByRole('region', { name: 'License' });
  await expect(license).toContainText('SVC-7QK2...M4XD');
  await expect(license).toContainText('Standard');
  await expect(license).toContainText('Active');
  await expect(license).toContainText('2 of 3 used');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(opener).toBeFocused();
});

test('the full id of a device can be copied', async ({ page, open, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(filledState(now), { hash });
  await page.getByRole('button', { name: 'About Recording cart' }).click();
  await page.getByRole('button', { name: 'Copy device ID' }).click();
  await expect(page.getByRole('button', { name: 'Copied.' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(full);
});

test('for another device neither version nor offline use is shown, and for another license only its key', async ({
  page,
  open,
}) => {
  const filled = filledState(now);
  const other = sampleDevice(now, { activationId: 'a-7', name: 'Old bench', keyPreview: 'SVC-9999...0000' });
  const devices: AppState['devices'] = { value: [other], loading: false, failure: null };
  await open({ ...filled, devices }, { hash });
  await page.getByRole('button', { name: 'About Old bench' }).click();
  const dialog = page.getByRole('dialog', { name: 'Old bench' });
  await expect(dialog).toContainText('SVC-9999...0000');
  await expect(dialog).toContainText('nothing more is known here');
  await expect(dialog).not.toContainText('Version');
  await expect(dialog).not.toContainText('Works offline');
  await expect(dialog).not.toContainText('Standard');
});

test('the details of a device close when it is released elsewhere', async ({ page, open }) => {
  const filled = filledState(now);
  const fake = await open(filled, { hash });
  await page.getByRole('button', { name: 'About Lab bench 4' }).click();
  await expect(page.getByRole('dialog', { name: 'Lab bench 4' })).toBeVisible();
  const value = (filled.devices.value ?? []).filter(({ activationId }) => activationId !== 'a-3');
  await fake.push({ devices: { value, loading: false, failure: null } });
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await fake.push({ devices: filled.devices });
  await expect(page.getByRole('listitem', { name: 'Lab bench 4' })).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
});
