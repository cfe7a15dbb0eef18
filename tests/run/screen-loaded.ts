/** Waits for the code of a screen, which is loaded when the screen is first shown. */
import type { Page } from '@playwright/test';

/** Resolves once no outline takes the place of a screen any longer. Call it after the window has been drawn. */
export async function screenLoaded(page: Page): Promise<void> {
  await page.locator('.page[aria-busy="true"]').waitFor({ state: 'detached' });
}
