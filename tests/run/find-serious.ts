/** What axe finds on a page that keeps people from using it. */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** Each serious or critical violation with the elements that it concerns; of these rules, or of all. */
export async function findSerious(page: Page, rules?: readonly string[]): Promise<string[]> {
  // The pages have no frames of other origins, for which a page of its own would be opened each time.
  const axe = new AxeBuilder({ page }).setLegacyMode(true);
  const { violations } = await (rules ? axe.withRules([...rules]) : axe).analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
