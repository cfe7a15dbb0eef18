/** `npm run pictures`: takes the README's pictures of the running app and of the admin page, light and dark. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, expect, type Page } from '@playwright/test';
import { buildIfChanged } from '../../electron/host/start/build-if-changed.ts';
import { adminScenes } from '../admin-page/scenes.ts';
import { type DesktopRun, runInHost } from '../e2e/fixtures/desktop.ts';
import { root } from '../e2e/fixtures/processes.ts';
import { startTestServer, type TestServer } from '../e2e/fixtures/server.ts';
import { activateElsewhere, apiToken, goTo, prepareUser, signInAndActivate } from '../e2e/fixtures/user.ts';
import { browserArguments, findBrowser } from '../run/find-browser.ts';
import { takeAdminPicture } from './admin-pictures.ts';

/** High enough for the whole overview of an activated device. */
const size = { width: 1040, height: 776 };
/** Shows the list of licenses and the open one, in a file of less than 150 kB. */
const adminSize = { width: 1280, height: 640 };
const pictures = join(import.meta.dirname, 'readme');

async function takePictures(server: TestServer, browser: Browser, folder: string): Promise<void> {
  const user = await prepareUser(server, 'ada@lab.example');
  const token = await apiToken(server, user);
  await activateElsewhere(server, token, { licenseKey: user.licenseKey, number: 7, name: 'Studio Mac' });
  const run = await runInHost(
    browser,
    { profile: join(folder, 'profile'), downloads: folder },
    { LATCHKEY_SERVER_URL: server.url },
  );
  try {
    await signInAndActivate(run.page, user);
    await verifyInstaller(run, server, folder);
    await generateApiKey(run.page);
    await run.page.setViewportSize(size);
    await goTo(run.page, 'Overview');
    await checkNow(run.page);
    await expect(run.page.locator('.toast, .warnings .banner')).toHaveCount(0, { timeout: 15_000 });
    for (const scheme of ['light', 'dark'] as const) await takePicture(run.page, scheme);
  } finally {
    await run.quit();
  }
}

async function verifyInstaller({ page, chooseFile }: DesktopRun, server: TestServer, folder: string): Promise<void> {
  const file = join(folder, 'Latchkey-4.2.0.AppImage');
  const content = Buffer.alloc(1_000_000, 'an installer');
  await writeFile(file, content);
  const hash = createHash('sha256').update(content).digest('hex');
  await server.admin(['installer', 'publish', '4.2.0', '--linux-amd64', `sha256:${hash}`]);
  await goTo(page, 'Installer');
  await chooseFile(file, () => page.getByRole('button', { name: /^Choose a file/ }).click());
  await expect(page.getByText('Genuine', { exact: true })).toBeVisible();
}

async function generateApiKey(page: Page): Promise<void> {
  await goTo(page, 'API key');
  await page.getByRole('button', { name: 'Generate API key' }).click();
  await page.getByRole('button', { name: 'I have saved it' }).click();
}

async function checkNow(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Check now' }).click();
  await expect(page.getByText('License checked with the server').first()).toBeVisible();
}

async function takePicture(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  const path = join(pictures, `overview-${colorScheme}.png`);
  await page.screenshot({ path, animations: 'disabled' });
  console.log(`took ${path.slice(root.length + 1)}`);
}

async function takeAdminPictures(server: TestServer, browser: Browser): Promise<void> {
  const scene = adminScenes.find(({ name }) => name === 'license');
  if (scene === undefined) throw new Error('No scene of the admin page is called "license".');
  for (const colorScheme of ['light', 'dark'] as const) {
    const path = join(pictures, `admin-${colorScheme}.png`);
    await takeAdminPicture(browser, server.url, scene, { path, colorScheme, size: adminSize });
    console.log(`took ${path.slice(root.length + 1)}`);
  }
}

const executablePath = findBrowser();
if (executablePath === null) throw new Error('No browser found: install Chrome or Chromium, or set TEST_BROWSER.');
await buildIfChanged(root, console.log);
await mkdir(pictures, { recursive: true });
const folder = await mkdtemp(join(tmpdir(), 'latchkey-pictures-'));
const server = await startTestServer(join(folder, 'server'), {});
const browser = await chromium.launch({ executablePath, args: browserArguments });
try {
  await takePictures(server, browser, folder);
  await takeAdminPictures(server, browser);
} finally {
  await browser.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
