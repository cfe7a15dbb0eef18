/** Finds accessibility violations on a page that keep people from using it, with axe. */
import type { Page } from '@playwright/test';
import axe from 'axe-core';

/** Returns each serious or critical violation with the affected elements, of these rules or of all. */
export async function findSerious(page: Page, rules?: readonly string[]): Promise<string[]> {
  // axe stays on the page until it is reloaded. `AxeBuilder` of @axe-core/playwright compiles axe's 560 kB twice for
  // each analysis and also describes every rule that passed, which takes five times as long.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(async (rules) => {
    const { axe } = window as unknown as { readonly axe: typeof import('axe-core') };
    const { violations } = await axe.run({ resultTypes: ['violations'], ...(rules && { runOnly: [...rules] }) });
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    return serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, rules);
}
