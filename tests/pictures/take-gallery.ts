/**
 * `npm run gallery [text]`: takes a picture of every scene whose name contains the text, light, dark and in the
 * pseudo-locale, into `.cache/pictures`.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from '@playwright/test';
import { buildPagesIfChanged } from '../../.npm/pages.mjs';
import { repository } from '../harness/environment.ts';
import { installFakeBridge } from '../renderer/fake-bridge.ts';
import { buildWindow, serveWindow } from '../renderer/serve-window.ts';
import { browserArguments, findBrowser } from '../run/find-browser.ts';
import { showPseudoLocale } from '../run/pseudo-locale.ts';
import { setTextSize } from '../run/text-size.ts';
import { takeAdminPictures } from './admin-pictures.ts';
import { isInEnglish, type Scene, scenes } from './scenes.ts';

const folder = resolve(import.meta.dirname, '../../.cache/pictures');
const widths = { wide: 1080, folded: 640, narrow: 400 } as const;
type Width = keyof typeof widths;
/** The pseudo-locale has the colors of the look before it. */
const looks = ['light', 'dark', 'pseudo'] as const;

const nameFilter = process.argv[2] ?? '';
const browserPath = findBrowser();
if (browserPath === null) throw new Error('No browser found: install Chrome or Chromium, or set TEST_BROWSER.');
mkdirSync(folder, { recursive: true });
// Must be first: building the window switches this process to production, in which the admin page is not built.
buildPagesIfChanged(repository);
await buildWindow();
const served = await serveWindow();
const browser = await chromium.launch({ executablePath: browserPath, args: browserArguments });
for (const scene of scenes.filter(({ name }) => name.includes(nameFilter))) {
  for (const width of scene.widths ?? (['wide'] as const)) await takePictures(scene, width);
}
await takeAdminPictures(browser, folder, nameFilter);
await browser.close();
await served.stop();
console.log(`Pictures are in ${folder}`);

async function takePictures(scene: Scene, width: Width): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: widths[width], height: scene.height ?? 720 },
    reducedMotion: 'reduce',
    forcedColors: scene.forcedColors ? 'active' : 'none',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
  const page = await context.newPage();
  page.on('console', (message) => message.type() === 'error' && console.error(scene.name, message.text()));
  page.on('pageerror', (error) => console.error(scene.name, error));
  await setTextSize(page, scene.textSize ?? 1);
  const fake = await installFakeBridge(page, scene.state, scene.script);
  await page.goto(served.url + (scene.hash ?? ''));
  const hasScreen = scene.state !== null && scene.state.session.kind !== 'starting';
  if (hasScreen) await page.getByRole('heading').first().waitFor();
  await page.waitForTimeout(scene.state === null ? 500 : 150);
  await scene.prepare?.(page, fake);
  await page.waitForTimeout(250);
  for (const look of looks) {
    if (look !== 'pseudo') await page.emulateMedia({ colorScheme: look });
    else if (!isInEnglish(scene)) continue;
    else await showPseudoLocale(page, fake, scene.state);
    await page.screenshot({ path: join(folder, `${scene.name}-${width}-${look}.png`) });
  }
  await context.close();
}
