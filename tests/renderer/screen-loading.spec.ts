/**
 * While the code of a screen is loading, an outline takes its place: with a delay to avoid flicker, and marked as busy
 * for screen readers.
 */
import { filledState } from './sample-states.ts';
import { expect, test } from './window-fixture.ts';

const now = Date.now();

test('a screen that loads slowly shows an outline after 200 ms, and then appears in the same place', async ({
  page,
  open,
}) => {
  let release = () => {};
  const held = new Promise<void>((done) => {
    release = done;
  });
  await page.route(/\/Activity-[^/]*\.js$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.clock.install({ time: now });
  await open(filledState(now));
  await page.clock.pauseAt(now + 60_000);
  await page.getByRole('link', { name: 'Activity' }).click();
  const outline = page.locator('.page[aria-busy="true"]');
  await expect(outline).toBeAttached();
  const placeOf = (selector: string) =>
    page.locator(selector).evaluate((element) => {
      const { top, height } = element.getBoundingClientRect();
      return { top, isHigh: height > 100 };
    });
  // Its space is reserved before it is visible.
  await page.clock.runFor(190);
  await expect(outline).toBeHidden();
  const place = await placeOf('.page');
  expect(place.isHigh).toBe(true);
  await page.clock.runFor(20);
  await expect(outline).toBeVisible();
  await expect(outline).toContainText('Loading…');
  await page.clock.resume();
  release();
  await expect(page.getByRole('heading', { level: 1, name: 'Activity' })).toBeVisible();
  await expect(outline).toHaveCount(0);
  expect(await placeOf('.page')).toEqual(place);
});
