/** What moves on a page although the system asks for less motion. */
import type { Page } from '@playwright/test';

/** Each element that is animated, but for what turns slowly while one waits. */
export function findMotion(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    document.getAnimations().flatMap(({ effect }) => {
      const duration = Number(effect?.getTiming().duration ?? 0);
      const target = effect instanceof KeyframeEffect ? effect.target : null;
      const isSlowSpinner = target?.classList.contains('spin') && duration >= 4000;
      return duration === 0 || isSlowSpinner
        ? []
        : [`${target?.tagName}.${target?.getAttribute('class')} ${duration} ms`];
    }),
  );
}
