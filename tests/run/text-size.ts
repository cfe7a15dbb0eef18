/** The text size that a person has chosen in the browser. */
import type { Page } from '@playwright/test';

/** As a multiple of the usual size. */
export async function setTextSize(page: Page, times: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setFontSizes', { fontSizes: { standard: 16 * times } });
  await session.detach();
}
