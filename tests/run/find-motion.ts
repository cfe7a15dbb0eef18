/** Finds motion on a page although the system asks for reduced motion. */
import type { Page } from '@playwright/test';

/** Returns each animated element, except slow spinners. */
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
