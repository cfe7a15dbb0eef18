/** The text size that a person has chosen in the browser. */
import type { Page } from '@playwright/test';

/** As a multiple of the usual size, as long as the page is open. */
export async function setTextSize(page: Page, times: number): Promise<void> {
  // The size would end with the session, so that is not detached.
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setFontSizes', { fontSizes: { standard: 16 * times } });
}

/** What the open page has, in the same multiple. */
export function readTextSize(page: Page): Promise<number> {
  return page.evaluate(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16);
}
