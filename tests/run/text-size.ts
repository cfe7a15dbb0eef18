/** The text size that a user has chosen in the browser. */
import type { Page } from '@playwright/test';

/** Sets the size as a multiple of the default, while the page is open. */
export async function setTextSize(page: Page, times: number): Promise<void> {
  // Detaching the session would reset the size.
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setFontSizes', { fontSizes: { standard: 16 * times } });
}

/** Returns the size of the open page, as the same multiple. */
export function readTextSize(page: Page): Promise<number> {
  return page.evaluate(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16);
}
