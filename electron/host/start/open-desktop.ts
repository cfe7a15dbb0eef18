/** Opens the desktop app: in Electron if available, otherwise in the browser host with a browser window. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ChildProcesses, waitForEnd, waitForOutput, waitForStart } from './child-processes.ts';
import { findElectron } from './find-electron.ts';
import { findSystemBrowser } from './find-system-browser.ts';
import { removeOpeningPage, writeOpeningPage } from './opening-page.ts';
import { startMessages } from './start-messages.ts';

type OpenDesktopDeps = {
  readonly children: ChildProcesses;
  readonly root: string;
  /** The desktop app's profile folder. */
  readonly profile: string;
  readonly serverAddress: string;
  /** True if no window may be opened. */
  readonly headless: boolean;
  readonly print: (line: string) => void;
};

type OpenDesktop = {
  /** The address for the user to open; `null` if a window was opened. */
  readonly address: string | null;
  /** Resolves when the user has closed the desktop app; rejects with a message for the user if it crashed. */
  readonly ended: Promise<void>;
};

/** Rejects with a message for the user if the app does not start. */
export async function openDesktop(deps: OpenDesktopDeps): Promise<OpenDesktop> {
  if (deps.headless) return openHost(deps);
  const electron = await openElectron(deps);
  if (electron !== null) return { address: null, ended: waitForClose(electron) };
  deps.print(startMessages.noElectron);
  const host = await openHost(deps);
  const window = await openBrowserWindow(deps, host.address);
  return window === null ? host : { address: null, ended: Promise.race([host.ended, window.ended]) };
}

/** `null` if Electron is not available or cannot run here. */
async function openElectron({ children, root, print, ...desktop }: OpenDesktopDeps): Promise<ChildProcess | null> {
  const binary = findElectron(root, print);
  if (binary === null) return null;
  const electron = children.start(binary, ['.'], { cwd: root, env: environmentFor(desktop), stdio: 'ignore' });
  return (await waitForStart(electron)) === 'failed' ? null : electron;
}

async function openHost({ children, root, print, ...desktop }: OpenDesktopDeps) {
  const parameters = ['--disable-warning=ExperimentalWarning', 'electron/host/run-desktop.ts'];
  const host = children.startNode(parameters, { cwd: root, env: environmentFor(desktop), stderr: 'inherit' });
  const address = await waitForOutput(host, /http:\S+\n/).catch(() => {
    throw new Error(startMessages.desktopNotStarted);
  });
  // Any other output is for the user, such as a notification or a new address.
  host.stdout?.on('data', (text: string) => print(text.trimEnd()));
  return { address: address.trim(), ended: waitForClose(host) };
}

/** Waits until the user has closed a program of the desktop app. */
function waitForClose(child: ChildProcess): Promise<void> {
  const ended = waitForEnd(child).catch((error: Error) => {
    throw new Error(startMessages.desktopCrashed(error.message));
  });
  // The caller awaits this once the window is open; a crash before that must not be an unhandled rejection.
  ended.catch(() => {});
  return ended;
}

function environmentFor({ profile, serverAddress }: Pick<OpenDesktopDeps, 'profile' | 'serverAddress'>) {
  return { ...process.env, LATCHKEY_PROFILE: profile, LATCHKEY_SERVER_URL: serverAddress };
}

const openCommands: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  linux: 'xdg-open',
  darwin: 'open',
  win32: 'explorer',
};

/**
 * Opens the app in a window of Chrome or Chromium with its own profile. Otherwise asks the system to open the default
 * browser, and returns `null`, since it is unknown whether that succeeds.
 */
async function openBrowserWindow(
  { children, profile }: OpenDesktopDeps,
  address: string,
): Promise<Pick<OpenDesktop, 'ended'> | null> {
  const page = writeOpeningPage(profile, address);
  process.once('exit', () => removeOpeningPage(page));
  const browser = findSystemBrowser();
  if (browser !== null) {
    const data = join(profile, 'browser');
    const parameters = [`--app=${pathToFileURL(page)}`, `--user-data-dir=${data}`, '--no-first-run'];
    const window = children.start(browser, parameters, { stdio: 'ignore' });
    const started = await waitForStart(window);
    if (started === 'running') return { ended: waitForClose(window) };
    // A browser left open by an earlier run shows the window, so there is no signal when it is closed.
    if (started === 'done') return { ended: new Promise(() => {}) };
  }
  const command = openCommands[process.platform];
  if (command !== undefined) {
    const opener = children.start(command, [page], { stdio: 'ignore' });
    await Promise.race([once(opener, 'exit'), once(opener, 'error')]).catch(() => {});
  }
  return null;
}
