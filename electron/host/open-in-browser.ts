/** Shows an address in a browser of this machine: in a window of its own, else wherever the person's links open. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Children } from './children.ts';
import { findSystemBrowser } from './find-system-browser.ts';
import { settled } from './settled.ts';

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  linux: ['xdg-open'],
  darwin: ['open'],
  win32: ['explorer'],
};

/** The window's process, whose end is the end of the desktop; `null` where there is no such window. */
export async function openInBrowser(
  children: Children,
  address: string,
  profile: string,
): Promise<ChildProcess | null> {
  const browser = findSystemBrowser();
  const parameters = [`--app=${address}`, `--user-data-dir=${join(profile, 'browser')}`, '--no-first-run'];
  const window = browser === null ? null : await settled(children.start(browser, parameters, { stdio: 'ignore' }));
  if (window === null) await openByDefault(children, address);
  return window;
}

/** Where it cannot be done the printed address is left. */
async function openByDefault(children: Children, address: string): Promise<void> {
  const [command, ...parameters] = openers[process.platform] ?? [];
  if (command === undefined) return;
  const opener = children.start(command, [...parameters, address], { stdio: 'ignore' });
  await Promise.race([once(opener, 'exit'), once(opener, 'error')]).catch(() => {});
}
