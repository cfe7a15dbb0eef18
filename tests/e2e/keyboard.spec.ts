/**
 * The whole journey without a pointer, in the real window with the real server: only the keyboard, and always a visible
 * focus.
 */
import { readdir } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './fixtures/test.ts';
import { activateElsewhere, apiToken, licenseState, prepareUser } from './fixtures/user.ts';

/** More than the controls of any screen. */
const mostPresses = 80;

/** Presses Tab until the target has the focus, and fails if the focus is invisible anywhere on the way. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < mostPresses; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
    expect(await page.evaluate(focusProblem)).toBeNull();
  }
  throw new Error(`Tab does not reach ${target}`);
}

/** Runs in the page: returns the focused element if the user cannot see that it is focused, or null. */
function focusProblem(): string | null {
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return null;
  const { top, bottom } = focused.getBoundingClientRect();
  const marks = [focused, ...(focused.matches('input') ? [focused.closest('.field-box, .palette-field')] : [])];
  const isMarked = marks.some((each) => each !== null && getComputedStyle(each).outlineStyle !== 'none');
  const isInWindow = bottom > 0 && top < window.innerHeight;
  return isMarked && isInWindow ? null : focused.outerHTML.slice(0, 200);
}

async function press(page: Page, role: 'button' | 'link', name: string | RegExp): Promise<void> {
  await tabTo(page, page.getByRole(role, typeof name === 'string' ? { name, exact: true } : { name }));
  await page.keyboard.press('Enter');
}

test('with only the keyboard: sign in, activate, ask why, release, export, save a request and a support file, sign out', async ({
  desktop,
  server,
}) => {
  const { page, downloads } = desktop;
  const user = await prepareUser(server);
  await activateElsewhere(server, await apiToken(server, user), { ...user, number: 1, name: 'Old tower' });

  await tabTo(page, page.getByLabel('Email'));
  await page.keyboard.type(user.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(user.password);
  await page.keyboard.press('Enter');
  await expect(licenseState(page)).toContainText('not activated');

  await press(page, 'link', /^Devices/);
  await tabTo(page, page.getByLabel('License key'));
  await page.keyboard.type(user.licenseKey);
  await page.keyboard.press('Enter');
  await expect(licenseState(page)).toContainText('Everything works');

  await press(page, 'link', 'Features');
  const why = page.getByRole('button', { name: 'Why? CSV export' });
  await tabTo(page, why);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'CSV export' }).getByRole('list')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(why).toBeFocused();

  await press(page, 'link', /^Devices/);
  await tabTo(page, page.getByRole('listitem', { name: 'Old tower' }).getByRole('button', { name: 'Release' }));
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('alertdialog');
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await tabTo(page, dialog.getByRole('button', { name: 'Release' }));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('listitem', { name: 'Old tower' })).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Activated devices' })).toBeFocused();

  await press(page, 'button', 'Save request file…');
  await expect.poll(() => readdir(downloads)).toContainEqual(expect.stringMatching(/^latchkey-request-.*\.json$/));

  await press(page, 'link', 'Activity');
  await press(page, 'button', /^Export/);
  await expect.poll(() => readdir(downloads)).toContainEqual(expect.stringMatching(/\.csv$/));

  await press(page, 'link', 'Diagnostics');
  await press(page, 'button', 'Save support file…');
  await press(page, 'button', 'Save');
  await expect.poll(() => readdir(downloads)).toContainEqual(expect.stringMatching(/^latchkey-support-.*\.json$/));
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await press(page, 'button', user.email);
  await expect(page.getByRole('menuitem', { name: 'Sign out', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
});
