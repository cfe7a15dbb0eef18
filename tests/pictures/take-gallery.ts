/** `npm run gallery [text]`: takes a picture of every scene whose name contains the text, light and dark, into `.cache/pictures`. */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from '@playwright/test';
import { buildPagesIfChanged } from '../../.npm/pages.mjs';
import { repository } from '../harness/environment.ts';
import { installFakeBridge } from '../renderer/fake-bridge.ts';
import { buildWindow, serveWindow } from '../renderer/serve-window.ts';
import { browserArguments, findBrowser } from '../run/find-browser.ts';
import { takeAdminPictures } from './admin-pictures.ts';
import { type Scene, scenes } from './scenes.ts';

const folder = resolve(import.meta.dirname, '../../.cache/pictures');
const widths = { wide: 1080, folded: 640, narrow: 400 } as const;
type Width = keyof typeof widths;

const nameFilter = process.argv[2] ?? '';
const browserPath = findBrowser();
if (browserPath === null) throw new Error('No browser found: install Chrome or Chromium, or set TEST_BROWSER.');
mkdirSync(folder, { recursive: true });
// First: building the window makes this process one of production, in which the admin page is not built.
buildPagesIfChanged(repository);
await buildWindow();
const served = await serveWindow();
const browser = await chromium.launch({ executablePath: browserPath, args: browserArguments });
for (const scene of scenes.filter(({ name }) => name.includes(nameFilter))) {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of scene.widths ?? (['wide'] as const)) await takePicture(scene, colorScheme, width);
  }
}
await takeAdminPictures(browser, folder, nameFilter);
await browser.close();
await served.stop();
console.log(`Pictures are in ${folder}`);

async function takePicture(scene: Scene, colorScheme: 'light' | 'dark', width: Width): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: widths[width], height: scene.height ?? 720 },
    colorScheme,
    reducedMotion: 'reduce',
    forcedColors: scene.forcedColors ? 'active' : 'none',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
  const page = await context.newPage();
  page.on('console', (message) => message.type() === 'error' && console.error(scene.name, message.text()));
  page.on('pageerror', (error) => console.error(scene.name, error));
  if (scene.textSize !== undefined) {
    const session = await context.newCDPSession(page);
    await session.send('Page.setFontSizes', { fontSizes: { standard: 16 * scene.textSize } });
  }
  const fake = await installFakeBridge(page, scene.state, scene.script);
  await page.goto(served.url + (scene.hash ?? ''));
  await page.waitForTimeout(scene.state === null ? 500 : 150);
  await scene.prepare?.(page, fake);
  await page.waitForTimeout(250);
  await page.screenshot({ path: join(folder, `${scene.name}-${width}-${colorScheme}.png`) });
  await context.close();
}
