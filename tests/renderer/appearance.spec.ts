/** System preferences apply to every screen: reduced motion, forced colors, larger text, a small window. */
import type { Locator, Page } from '@playwright/test';
import { hrefOf, routes } from '../../renderer/routing.ts';
import { findCutText } from '../run/find-cut-text.ts';
import { findMotion } from '../run/find-motion.ts';
import { readTextSize, setTextSize } from '../run/text-size.ts';
import { filledState, firstRunState, offlineState, signedOutState, withSubscription } from './sample-states.ts';
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
  { what: '200 % text in a window of 320 px', width: 320, height: 480, textSize: 2 },
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

for (const language of ['en', 'de'] as const) {
  test(`in the smallest window at 200 % the screen can be read: nothing is cut off, and the state scrolls away (${language})`, async ({
    page,
    open,
  }) => {
    await page.setViewportSize({ width: 210, height: 240 });
    const state = offlineState(now);
    await open({ ...state, settings: { ...state.settings, language } });
    for (const route of routes) {
      await page.goto(page.url().replace(/#.*|$/, hrefOf(route)));
      const heading = page.getByRole('heading', { level: 1 });
      await expect(heading).toBeVisible();
      expect(await overflowing(page), route).toEqual([]);
      // A screen that has just opened may still scroll to its top.
      const scrollToHeading = async () => {
        await heading.evaluate((title) => title.scrollIntoView());
        return (await heading.boundingBox())?.y;
      };
      await expect.poll(scrollToHeading, route).toBeLessThan(24);
    }
  });
}

test('the longest names of plans and features wrap', async ({ page, open }) => {
  const plan = 'p'.repeat(50);
  const reason = { kind: 'plan', plan, availableOn: plan } as const;
  const state = withSubscription(filledState(now), { plan });
  const device = state.thisDevice;
  const license = device?.license ?? null;
  const long = {
    ...state,
    features: ['f'.repeat(50), 'api_access'].map((feature) => ({ feature, on: false, reason }) as const),
    license: { kind: 'works', plan, until: '2099-03-03T12:00:00.000Z', worksUntil: null } as const,
    thisDevice: device && { ...device, license: license && { ...license, plan } },
  };
  for (const width of [1080, 640, 320]) {
    await page.setViewportSize({ width, height: 3000 });
    await open(long);
    for (const route of ['overview', 'features', 'devices', 'apiKey', 'settings'] as const) {
      await page.goto(page.url().replace(/#.*|$/, hrefOf(route)));
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      expect(await findCutText(page), `${route} at ${width} px`).toEqual([]);
    }
  }
});

test('in a narrow window no line of a fact begins with the separating dot', async ({ page, open }) => {
  for (const width of [320, 360, 400, 480]) {
    await page.setViewportSize({ width, height: 3000 });
    await open(filledState(now));
    const atStart = await page.locator('.fact dd').evaluateAll((values) =>
      values.flatMap((value) => {
        const dot = [...value.querySelectorAll('[aria-hidden]')].find(({ textContent }) => textContent?.includes('·'));
        const left = dot?.getClientRects()[0]?.left;
        return left !== undefined && left < value.getBoundingClientRect().left + 2 ? [value.textContent] : [];
      }),
    );
    expect(atStart, `${width} px`).toEqual([]);
  }
});

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

const colorsOf = (control: Locator) =>
  control.evaluate((element) => {
    const { color, backgroundColor, borderTopColor } = getComputedStyle(element);
    return { color, backgroundColor, borderTopColor };
  });

test('with forced colors a button keeps its colors under the pointer, and all parts of the chosen command have one', async ({
  page,
  open,
}) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await open(firstRunState(now), { hash: '#devices' });
  const activate = page.getByRole('button', { name: 'Activate this device' });
  const resting = await colorsOf(activate);
  await activate.hover();
  expect(await colorsOf(activate)).toEqual(resting);
  await page.keyboard.press('Control+k');
  await page.keyboard.press('ArrowDown');
  const chosen = page.getByRole('option', { selected: true });
  const { color } = await colorsOf(chosen);
  expect(await Promise.all((await chosen.locator('.icon, kbd').all()).map(colorsOf))).toEqual([
    expect.objectContaining({ color }),
    expect.objectContaining({ color }),
  ]);
});

test('with more contrast secondary text is as strong as the rest, and panels have a visible border', async ({
  page,
  open,
}) => {
  await page.emulateMedia({ contrast: 'more' });
  await open(filledState(now));
  const panel = await colorsOf(page.locator('.panel').first());
  expect(await colorsOf(page.locator('.panel-intro').first())).toMatchObject({ color: panel.color });
  await page.emulateMedia({ contrast: 'no-preference' });
  expect(await colorsOf(page.locator('.panel-intro').first())).not.toMatchObject({ color: panel.color });
  expect((await colorsOf(page.locator('.panel').first())).borderTopColor).not.toBe(panel.borderTopColor);
});
