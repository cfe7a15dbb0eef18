/** A screen or dialog appears as soon as its code is loaded, or a message if it cannot be loaded. */
import { filledState } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();

test('a screen that loads slowly replaces the previous one at once', async ({ page, open }) => {
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  await page.route(/\/Diagnostics-[^/]*\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  await open(filledState(now));
  const heading = (name: string) => page.getByRole('heading', { level: 1, name });
  await expect(heading('Overview')).toBeVisible();
  await page.getByRole('link', { name: 'Diagnostics' }).click();
  await expect(heading('Overview')).toHaveCount(0);
  release();
  await expect(heading('Diagnostics')).toBeVisible();
});

test('a screen and a dialog appear as soon as they are loaded, without waiting for a timer', async ({ page, open }) => {
  await page.clock.install({ time: now });
  await open(filledState(now));
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await page.clock.pauseAt(now + 3_600_000);
  await page.getByRole('link', { name: 'Devices' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Devices' })).toBeVisible();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
});

test.describe('code that cannot be loaded', () => {
  test.use({
    expectedProblem: /^Failed to load resource: net::ERR_FAILED$|Failed to fetch dynamically imported module/,
  });

  test('a screen says so in its place, and the others still work', async ({ page, open }) => {
    await page.route(/\/Diagnostics-[^/]*\.js$/, (route) => route.abort());
    await open(filledState(now));
    await page.getByRole('link', { name: 'Diagnostics' }).click();
    const failure = page.getByRole('main').getByRole('alert');
    await expect(failure).toContainText('Part of Latchkey could not be loaded.');
    await expect(failure.getByRole('button', { name: 'Reload' })).toBeVisible();
    await page.getByRole('link', { name: 'Devices' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Devices' })).toBeVisible();
    await expect(failure).toHaveCount(0);
  });

  test('a dialog says so in its place, the window goes on, and reloading it shows the dialog', async ({
    page,
    open,
  }) => {
    await page.route(/\/ShortcutsDialog-[^/]*\.js$/, (route) => route.abort(), { times: 1 });
    await open(filledState(now), { hash: '#devices' });
    const dialog = page.getByRole('alertdialog', { name: 'Part of Latchkey could not be loaded.' });
    const screen = page.getByRole('heading', { level: 1, name: 'Devices' });
    await page.keyboard.press('?');
    await expect(dialog.getByRole('alert')).toContainText('restart Latchkey');
    await expect(dialog.getByRole('button', { name: 'Close' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(dialog).toHaveCount(0);
    await expect(screen).toBeVisible();
    await page.keyboard.press('?');
    await dialog.getByRole('button', { name: 'Reload' }).click();
    await expect(dialog).toHaveCount(0);
    await expect(screen).toBeVisible();
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  });
});
