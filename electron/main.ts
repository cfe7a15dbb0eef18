/** The life of the desktop: one instance, ready, and an end that leaves nothing half-written. */
import { app } from 'electron';
import { type Desktop, startDesktop } from './app.ts';
import { allowAppScheme } from './windows/app-protocol.ts';

const profile = process.env.LATCHKEY_PROFILE;

app.setName('Latchkey');
app.setAppUserModelId('app.latchkey.desktop');
if (profile) app.setPath('userData', profile);
app.enableSandbox();
allowAppScheme();

if (app.requestSingleInstanceLock()) run();
else app.quit();

function run(): void {
  let desktop: Desktop | null = null;
  let ended = false;
  const reveal = () => desktop?.reveal();

  app.whenReady().then(async () => {
    desktop = await startDesktop();
  }, endBadly);
  app.on('second-instance', reveal);
  app.on('activate', reveal);
  // The tray keeps the app alive where there is one; without a tray the closed window ends it.
  app.on('window-all-closed', () => app.quit());
  app.on('before-quit', (event) => {
    if (ended || desktop === null) return;
    event.preventDefault();
    desktop.stop().finally(() => {
      ended = true;
      app.quit();
    });
  });
}

function endBadly(error: unknown): void {
  console.error('Latchkey could not start:', error instanceof Error ? error.message : error);
  app.exit(1);
}
