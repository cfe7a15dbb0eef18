/** `npm run pictures`: takes the pictures of the README from the running app, light and dark. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, expect, type Page } from '@playwright/test';
import { buildIfChanged } from '../../electron/host/build-if-changed.ts';
import { activateElsewhere, apiToken, goTo, preparePerson, signInAndActivate } from '../e2e/fixtures/person.ts';
import { root } from '../e2e/fixtures/root.ts';
import { runInHost } from '../e2e/fixtures/run-in-host.ts';
import { startTestServer, type TestServer } from '../e2e/fixtures/server.ts';
import { browserArguments, findBrowser } from '../run/find-browser.ts';

const pictures = join(import.meta.dirname, 'readme');

async function takePictures(server: TestServer, browser: Browser, folder: string): Promise<void> {
  const person = await preparePerson(server, 'ada@lab.example');
  await server.admin(['installer', 'publish', '4.2.0', '--linux-amd64', `sha256:${'4a'.repeat(32)}`]);
  const token = await apiToken(server, person);
  await activateElsewhere(server, token, { licenseKey: person.licenseKey, number: 7, name: 'Studio Mac' });
  const run = await runInHost(browser, { profile: join(folder, 'profile'), downloads: folder }, server.url);
  try {
    await signInAndActivate(run.page, person);
    await goTo(run.page, 'Overview');
    await expect(run.page.getByText(/heartbeat/i).first()).toBeVisible();
    for (const scheme of ['light', 'dark'] as const) await takePicture(run.page, scheme);
  } finally {
    await run.quit();
  }
}

async function takePicture(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  const path = join(pictures, `overview-${colorScheme}.png`);
  await page.screenshot({ path, animations: 'disabled' });
  console.log(`took ${path.slice(root.length + 1)}`);
}

const executablePath = findBrowser();
if (executablePath === null)
  throw new Error('Pictures need Chrome or Chromium: install one, or name it in TEST_BROWSER.');
buildIfChanged(root, console.log);
await mkdir(pictures, { recursive: true });
const folder = await mkdtemp(join(tmpdir(), 'latchkey-pictures-'));
const server = await startTestServer(join(folder, 'server'), {});
const browser = await chromium.launch({ executablePath, args: browserArguments });
try {
  await takePictures(server, browser, folder);
} finally {
  await browser.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
