/**
 * Every state of the gallery: nothing is untranslated or cut off in the pseudo-locale, and everything can be told apart
 * in forced colors.
 */
import type { OpenRequest } from '../../shared/ipc/open-request.ts';
import { isInEnglish, scenes } from '../pictures/scenes.ts';
import { findCutText } from '../run/find-cut-text.ts';
import { findMotion } from '../run/find-motion.ts';
import { findSerious } from '../run/find-serious.ts';
import { findUnseenFocus } from '../run/find-unseen-focus.ts';
import { findUntranslated, markFormatted } from '../run/find-untranslated.ts';
import { chooseScenes } from '../run/long-tests.ts';
import { showPseudoLocale } from '../run/pseudo-locale.ts';
import { readTextSize, setTextSize } from '../run/text-size.ts';
import { expect, test } from './window-fixture.ts';

/** The widths and text sizes to check; the window is high enough that nothing scrolls. */
const sizes = [
  { width: 1280, textSize: 1 },
  { width: 400, textSize: 1 },
  { width: 1080, textSize: 2 },
];

const states = chooseScenes(
  scenes.filter(isInEnglish).filter((scene) => scene.textSize === undefined && !scene.forcedColors),
);

for (const scene of states) {
  test(scene.name, async ({ page, open }) => {
    await markFormatted(page);
    const opened: (OpenRequest | null)[] = [];
    const fake = await open(scene.state, { hash: scene.hash, script: scene.script });
    const openAndNote: typeof fake.open = (request) => {
      opened.push(request);
      return fake.open(request);
    };
    await scene.prepare?.(page, { ...fake, open: openAndNote });

    await test.step('in the colors of the system', async () => {
      await page.emulateMedia({ forcedColors: 'active' });
      expect(await findMotion(page)).toEqual([]);
      expect(await findSerious(page)).toEqual([]);
      expect(await findUnseenFocus(page)).toEqual([]);
      await page.emulateMedia({ forcedColors: 'none' });
    });

    await showPseudoLocale(page, fake, scene.state);
    expect(await findUntranslated(page, [scene.state, scene.script, opened])).toEqual([]);
    for (const { width, textSize } of sizes) {
      await page.setViewportSize({ width, height: 3000 });
      await setTextSize(page, textSize);
      expect(await readTextSize(page)).toBe(textSize);
      expect(await findCutText(page), `${width} px wide, text at ${textSize * 100} %`).toEqual([]);
    }
  });
}
