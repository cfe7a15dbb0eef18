/** Takes pictures of the admin page, for the gallery and for the README. */
import { join } from 'node:path';
import type { Browser } from '@playwright/test';
import { fakeApi } from '../admin-page/fake-api.ts';
import type { AdminScene } from '../admin-page/scene.ts';
import { adminScenes } from '../admin-page/scenes.ts';
import { startServer } from '../harness/start-server.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { setTextSize } from '../run/text-size.ts';

const widths = { wide: 1280, narrow: 400 } as const;

/** Takes a picture of every scene whose name contains the text, light and dark, into the folder. */
export async function takeAdminPictures(browser: Browser, folder: string, nameFilter: string): Promise<void> {
  const data = makeTemporaryFolder();
  const server = await startServer({ LATCHKEY_DATA: data }, { log: 'discard' });
  for (const scene of adminScenes.filter(({ name }) => `admin-${name}`.includes(nameFilter))) {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of ['wide', 'narrow'] as const) {
        const path = join(folder, `admin-${scene.name}-${width}-${colorScheme}.png`);
        await takeAdminPicture(browser, server.url, scene, {
          path,
          colorScheme,
          size: { width: widths[width], height: 800 },
        });
      }
    }
  }
  await server.stop();
  removeFolder(data);
}

type Picture = {
  readonly path: string;
  readonly colorScheme: 'light' | 'dark';
  readonly size: { readonly width: number; readonly height: number };
};

/** Takes a picture of one scene, with the page that the server at this address serves. */
export async function takeAdminPicture(
  browser: Browser,
  serverUrl: string,
  scene: AdminScene,
  { path, colorScheme, size }: Picture,
): Promise<void> {
  const context = await browser.newContext({
    viewport: size,
    colorScheme,
    reducedMotion: 'reduce',
    locale: scene.locale ?? 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error(scene.name, error));
  await setTextSize(page, scene.textSize ?? 1);
  await fakeApi(page, scene.answers);
  await page.goto(`${serverUrl.replace('127.0.0.1', 'localhost')}/admin${scene.hash ?? ''}`);
  await page.getByRole('heading').first().waitFor();
  await scene.prepare?.(page);
  await page.waitForTimeout(400);
  await page.screenshot({ path });
  await context.close();
}
