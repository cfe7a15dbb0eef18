/** Finds accessibility violations on a page that keep people from using it, with axe. */
import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';

/** The minified file, because it is sent to each page, and `axe.source` is more than twice as long. */
const source = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The rules that check colors. All others have the same result in light and dark. */
export const rulesOfColors: readonly string[] = ['color-contrast', 'link-in-text-block'];

/** Returns each serious or critical violation with the affected elements, of these rules or of all. */
export async function findSerious(page: Page, rules?: readonly string[]): Promise<string[]> {
  // axe stays on the page until it is reloaded. `AxeBuilder` of @axe-core/playwright compiles axe twice for each
  // analysis and also describes every rule that passed, which takes five times as long.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
  return page.evaluate(async (rules) => {
    const { axe } = window as unknown as { readonly axe: typeof import('axe-core') };
    // Style sheets and media would be loaded again for two rules: one is off, the other is never serious.
    const only = rules && { runOnly: [...rules] };
    const { violations } = await axe.run({ resultTypes: ['violations'], preload: false, ...only });
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    return serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, rules);
}
