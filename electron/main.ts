/**
 * The entry point of the desktop app: runs a single instance, starts it when Electron is ready, and stops it before
 * quitting.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { app, dialog } from 'electron';
import { type Desktop, startDesktop } from './app.ts';
import { findCliArguments } from './cli/cli-arguments.ts';
import { holderTimeoutMs, isWindowOpen, profileIsBusy } from './cli/control-client.ts';
import { messagesFor } from './i18n/messages.ts';
import { followOpenings } from './opening/follow-openings.ts';
import { controlPath } from './platform/control-path.ts';
import { openProfile } from './profile.ts';
import { allowAppScheme } from './windows/app-protocol.ts';

app.setName('Latchkey');
app.setAppUserModelId('app.latchkey.desktop');
app.enableSandbox();
allowAppScheme();
const cliArguments = findCliArguments(process.argv);
// electron-updater runs the newly installed file once, and waits for it to end.
if (process.env.APPIMAGE_EXIT_AFTER_INSTALL) app.exit(0);
else if (cliArguments === null) openWindow();
else void runCommand(cliArguments);

async function runCommand(words: readonly string[]): Promise<void> {
  const { ownTerminal, runCli } = await import('./cli/run-cli.ts');
  app.exit(await runCli(words, ownTerminal()));
}

function openWindow(): void {
  try {
    const profile = openProfile();
    if (app.requestSingleInstanceLock()) run();
    else waitForCommand(profile).then((hasEnded) => (hasEnded ? run() : app.quit()), exitWithError);
  } catch (error) {
    exitWithError(error);
  }
}

/**
 * Waits until this process holds the profile, if only a command or a closing window held it; resolves to false if a
 * window is open.
 */
async function waitForCommand(profile: string): Promise<boolean> {
  const deadline = performance.now() + holderTimeoutMs;
  while (performance.now() < deadline) {
    if (await isWindowOpen(controlPath(profile))) return false;
    if (app.requestSingleInstanceLock({ cli: true })) return true;
    await wait(100);
  }
  throw profileIsBusy(profile);
}

type State =
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly desktop: Desktop }
  | { readonly kind: 'stopping' }
  | { readonly kind: 'stopped' };

function run(): void {
  let state: State = { kind: 'starting' };
  const reveal = () => {
    if (state.kind === 'running') state.desktop.reveal();
  };
  // A command only checks whether a window is open.
  const openings = followOpenings(process.argv.slice(1), reveal, isCommand);
  const start = async () => {
    await app.whenReady();
    const desktop = await startDesktop();
    state = { kind: 'running', desktop };
    openings.connect(desktop.openRequests);
  };
  start().catch(exitWithError);
  app.on('activate', reveal);
  // With a tray the window is only hidden, so this event occurs only without one.
  app.on('window-all-closed', () => app.quit());
  app.on('before-quit', (event) => {
    if (state.kind === 'starting' || state.kind === 'stopped') return;
    event.preventDefault();
    if (state.kind === 'stopping') return;
    const { desktop } = state;
    state = { kind: 'stopping' };
    // No longer than other processes wait for the profile.
    Promise.race([desktop.stop(), wait(holderTimeoutMs)]).finally(() => {
      state = { kind: 'stopped' };
      app.quit();
    });
  });
}

function isCommand(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'cli' in data;
}

/** Reports to the terminal and in a dialog: a user who starts the app from its icon sees no terminal. */
function exitWithError(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  console.error('Latchkey could not start:', message);
  dialog.showErrorBox(messagesFor('system', app.getLocale()).startup.failed, message);
  app.exit(1);
}
