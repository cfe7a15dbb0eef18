/** Opens the desktop: in Electron where it can be had, else in the host with a browser window, else as an address. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type Children, lineOf } from './children.ts';
import { findElectron } from './find-electron.ts';
import { openInBrowser } from './open-in-browser.ts';
import { settled } from './settled.ts';

export type DesktopOptions = {
  readonly root: string;
  /** The desktop's profile folder. */
  readonly profile: string;
  readonly serverAddress: string;
  /** Whether no window may be opened. */
  readonly headless: boolean;
  readonly say: (line: string) => void;
};

/** `ended` is fulfilled when the person has closed the desktop. */
export type OpenDesktop = { readonly address: string | null; readonly ended: Promise<unknown> };

/** Opens it one way or the other. */
export async function openDesktop(children: Children, options: DesktopOptions): Promise<OpenDesktop> {
  const environment = {
    ...process.env,
    LATCHKEY_PROFILE: options.profile,
    LATCHKEY_SERVER_URL: options.serverAddress,
  };
  if (options.headless) return openHost(children, options, environment);
  const electron = await openElectron(children, options, environment);
  if (electron !== null) return { address: null, ended: once(electron, 'exit') };
  options.say('Electron cannot be had here, so the desktop opens in a browser.');
  const host = await openHost(children, options, environment);
  const window = await openInBrowser(children, host.address, options.profile);
  return window === null ? host : { address: null, ended: Promise.race([host.ended, once(window, 'exit')]) };
}

async function openElectron(
  children: Children,
  { root, say }: DesktopOptions,
  environment: NodeJS.ProcessEnv,
): Promise<ChildProcess | null> {
  const binary = findElectron(root, say);
  if (binary === null) return null;
  return settled(children.start(binary, ['.'], { cwd: root, env: environment, stdio: ['ignore', 'ignore', 'ignore'] }));
}

async function openHost(children: Children, { root, say }: DesktopOptions, environment: NodeJS.ProcessEnv) {
  const endWithParent = new URL('./end-with-parent.ts', import.meta.url).href;
  const host = children.start(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--import', endWithParent, 'electron/host/run-desktop.ts'],
    { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
  );
  const address = await lineOf(host, /http:\S+\n/).catch(() => {
    throw new Error('The desktop did not start.');
  });
  // Whatever else it prints (a notification, a new address) is for the person.
  host.stdout?.on('data', (text: string) => say(text.trimEnd()));
  return { address: address.trim(), ended: once(host, 'exit') };
}
