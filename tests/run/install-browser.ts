/** Installs a browser if the machine has none: Playwright's own, otherwise one from the system package manager. */
import { spawnSync } from 'node:child_process';
import { findBrowser } from './find-browser.ts';

const attempts: readonly { readonly what: string; readonly commands: readonly (readonly string[])[] }[] = [
  { what: 'Playwright’s Chromium', commands: [['npx', 'playwright', 'install', 'chromium']] },
  {
    what: 'Chromium by apt-get',
    commands: [
      ['apt-get', 'update'],
      ['apt-get', 'install', '--yes', '--no-install-recommends', 'chromium', 'fonts-dejavu-core', 'fonts-noto-cjk'],
      // Faster, but not available in every release of Debian and Ubuntu.
      ['sh', '-c', 'apt-get install --yes --no-install-recommends chromium-headless-shell || true'],
    ],
  },
  { what: 'Chromium by dnf', commands: [['dnf', 'install', '--assumeyes', 'chromium']] },
  { what: 'Chromium by apk', commands: [['apk', 'add', 'chromium']] },
];

const installTimeoutMs = 10 * 60_000;

/** Returns the path of a browser, installing one first if needed. Throws if none can be installed. */
export function installBrowser(): string {
  const present = findBrowser();
  if (present) return present;
  for (const { what, commands } of attempts) {
    console.log(`No Chrome or Chromium here. Installing ${what} …`);
    const installed = commands.every(([command = '', ...parameters]) => {
      const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
      return (
        spawnSync(command, parameters, { stdio: 'ignore', timeout: installTimeoutMs, env: environment }).status === 0
      );
    });
    const browser = installed ? findBrowser() : null;
    if (browser) return browser;
  }
  throw new Error('The tests need Chrome or Chromium: install one, or name it in TEST_BROWSER.');
}
