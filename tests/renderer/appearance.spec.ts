/** System preferences apply to every screen: reduced motion, forced colors, larger text, a small window. */
import type { Page } from '@playwright/test';
import { hrefOf, routes } from '../../renderer/routing.ts';
import { findMotion } from '../run/find-motion.ts';
import { readTextSize, setTextSize } from '../run/text-size.ts';
import { filledState, firstRunState, offlineState, signedOutState } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();

/** Runs `check` on every screen of a signed-in user. */
async function onEveryScreen(
  page: Page,
  open: (hash: string) => Promise<unknown>,
  check: (what: string) => Promise<void>,
) {
  for (const route of routes) {
    await open(hrefOf(route));
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await check(route);
  }
}

/** The elements that extend beyond the right edge of the window or of its scrolling part. */
function overflowing(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const boxes = [document.documentElement, ...document.querySelectorAll('#content, .sign-in, dialog[open]')];
    return boxes
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(
        ({ tagName, className, scrollWidth, clientWidth }) => `${tagName}.${className} ${scrollWidth}>${clientWidth}`,
      );
  });
}

for (const { what, width, height, textSize } of [
  { what: '200 % text', width: 1080, height: 720, textSize: 2 },
  { what: '200 % text in a narrow window', width: 640, height: 720, textSize: 2 },
  { what: 'a window of 320 px, as one zoomed in is', width: 320, height: 400, textSize: 1 },
]) {
  test(`${what}: nothing is cut off at the side`, async ({ page, open }) => {
    await page.setViewportSize({ width, height });
    await setTextSize(page, textSize);
    await onEveryScreen(
      page,
      (hash) => open(offlineState(now), { hash }),
      async (route) => expect(await overflowing(page), route).toEqual([]),
    );
    const fake = await open(signedOutState(now));
    expect(await readTextSize(page)).toBe(textSize);
    expect(await overflowing(page), 'sign-in').toEqual([]);
    await page.getByRole('button', { name: 'Offline activation' }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    expect(await overflowing(page), 'offline activation').toEqual([]);
    await fake.push(firstRunState(now));
    await fake.open({ kind: 'activate', id: 'r-1', keyPreview: 'SVC-7QK2...GH1T' });
    const activate = page.getByRole('button', { name: 'Activate', exact: true });
    await activate.scrollIntoViewIfNeeded();
    await expect(activate).toBeInViewport({ ratio: 1 });
    expect(await overflowing(page), 'link').toEqual([]);
  });
}

test('with reduced motion nothing moves except progress indicators, and those slowly', async ({ page, open }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const fake = await open(
    { ...filledState(now), devices: { value: null, loading: true, failure: null } },
    { hash: '#devices' },
  );
  await fake.open({ kind: 'unknown-link', id: 'r-1' });
  await expect(page.getByText('This link is not one of Latchkey’s.')).toBeVisible();
  await page.getByRole('button', { name: 'Paste answer' }).click();
  expect(await findMotion(page)).toEqual([]);
  const duration = await page
    .getByRole('button', { name: 'Close' })
    .first()
    .evaluate((button) => getComputedStyle(button).transitionDuration);
  expect(duration.split(', ').every((each) => each === '0s')).toBe(true);
});

test('with forced colors the current place, buttons and focus can be told apart', async ({ page, open }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await open(firstRunState(now), { hash: '#devices' });
  const styleOf = (
    name: string,
    role: 'link' | 'button',
    property: 'outlineStyle' | 'borderStyle' | 'backgroundColor',
  ) =>
    page
      .getByRole(role, { name, exact: true })
      .evaluate((element, asked) => getComputedStyle(element)[asked], property);
  expect(await styleOf('Devices', 'link', 'backgroundColor')).not.toBe(
    await styleOf('Overview', 'link', 'backgroundColor'),
  );
  expect(await styleOf('Show QR code', 'button', 'borderStyle')).toBe('solid');
  const primary = await styleOf('Activate this device', 'button', 'backgroundColor');
  expect(primary).not.toBe(await styleOf('Show QR code', 'button', 'backgroundColor'));
  await page.getByLabel('License key').focus();
  await page.keyboard.press('Tab');
  expect(await styleOf('Activate this device', 'button', 'outlineStyle')).toBe('solid');
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  const language = page.getByRole('combobox', { name: 'Language' });
  await language.click();
  await expect(language.locator('option').first()).toBeFocused();
  const [focused, other] = await language
    .locator('option')
    .evaluateAll((options) => options.map((option) => getComputedStyle(option).backgroundColor));
  expect(focused).not.toBe(other);
});
