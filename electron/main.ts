/** The entry of the desktop app: one instance only, started when Electron is ready, and stopped before it quits. */
import { accessSync, constants } from 'node:fs';
import { app, dialog } from 'electron';
import { type Desktop, startDesktop } from './app.ts';
import { messagesFor } from './i18n/messages.ts';
import { followOpenings } from './opening/follow-openings.ts';
import { createFolder } from './platform/create-folder.ts';
import { allowAppScheme } from './windows/app-protocol.ts';

app.setName('Latchkey');
app.setAppUserModelId('app.latchkey.desktop');
app.enableSandbox();
allowAppScheme();
try {
  openProfile(process.env.LATCHKEY_PROFILE || app.getPath('userData'));
  if (app.requestSingleInstanceLock()) run();
  else app.quit();
} catch (error) {
  exitWithError(error);
}

/** Throws with what to do if the folder cannot be used. */
function openProfile(folder: string): void {
  try {
    createFolder(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The folder ${folder} cannot be used (${reason}). Make it writable, or set LATCHKEY_PROFILE to another folder.`,
    );
  }
  app.setPath('userData', folder);
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
  const openings = followOpenings(process.argv.slice(1), reveal);
  const start = async () => {
    await app.whenReady();
    const desktop = await startDesktop();
    state = { kind: 'running', desktop };
    openings.connect(desktop.openRequests);
  };
  start().catch(exitWithError);
  app.on('activate', reveal);
  // With a tray the window is only hidden, so this happens only without one.
  app.on('window-all-closed', () => app.quit());
  app.on('before-quit', (event) => {
    if (state.kind === 'starting' || state.kind === 'stopped') return;
    event.preventDefault();
    if (state.kind === 'stopping') return;
    const { desktop } = state;
    state = { kind: 'stopping' };
    desktop.stop().finally(() => {
      state = { kind: 'stopped' };
      app.quit();
    });
  });
}

/** In the terminal and in a dialog: who starts the app from its icon sees no terminal. */
function exitWithError(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  console.error('Latchkey could not start:', message);
  dialog.showErrorBox(messagesFor('system', app.getLocale()).startup.failed, message);
  app.exit(1);
}
