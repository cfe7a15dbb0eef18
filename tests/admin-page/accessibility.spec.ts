/**
 * In every state of every screen, light and dark, wide and narrow: axe finds nothing serious, and nothing is wider than
 * the page.
 */
import { findSerious, rulesOfColors } from '../run/find-serious.ts';
import { chooseScenes } from '../run/long-tests.ts';
import { readTextSize, setTextSize } from '../run/text-size.ts';
import { expect, test } from './page-fixture.ts';
import { adminScenes } from './scenes.ts';

const widths = [1280, 400];

for (const scene of chooseScenes(adminScenes)) {
  test.describe(() => {
    test.use({ locale: scene.locale ?? 'en-GB' });

    test(scene.name, async ({ page, open }) => {
      await setTextSize(page, scene.textSize ?? 1);
      await open({ hash: scene.hash, answers: scene.answers });
      await expect(page.getByRole('heading').first()).toBeVisible();
      expect(await readTextSize(page)).toBe(scene.textSize ?? 1);
      if (!scene.name.endsWith('loading')) await expect(page.locator('.skeleton')).toHaveCount(0);
      await scene.prepare?.(page);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        expect(await page.evaluate(() => document.documentElement.scrollWidth), `at ${width}`).toBeLessThanOrEqual(
          width,
        );
        await page.emulateMedia({ colorScheme: 'light' });
        expect(await findSerious(page), `light, at ${width}`).toEqual([]);
        await page.emulateMedia({ colorScheme: 'dark' });
        expect(await findSerious(page, rulesOfColors), `dark, at ${width}`).toEqual([]);
      }
      // So low that nearly everything scrolls.
      await page.setViewportSize({ width: 1280, height: 300 });
      expect(await findSerious(page, ['scrollable-region-focusable']), 'in a low window').toEqual([]);
    });
  });
}

test('the Server screen can be scrolled with only the keyboard', async ({ page, open }) => {
  await page.setViewportSize({ width: 1280, height: 300 });
  await open({ hash: '#/server' });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const content = page.locator('#content');
  while (!(await content.evaluate((element) => element === document.activeElement))) await page.keyboard.press('Tab');
  // In a window this low, the page scrolls as a whole. What is not loaded yet cannot be scrolled.
  const readTop = () => content.evaluate((element) => element.getBoundingClientRect().top - element.scrollTop);
  const top = await readTop();
  await expect
    .poll(async () => {
      await page.keyboard.press('End');
      return await readTop();
    })
    .toBeLessThan(top - 100);
});
