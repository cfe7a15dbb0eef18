/** The life of the desktop: one instance, ready, and an end that leaves nothing half-written. */
import { mkdirSync } from 'node:fs';
import { app } from 'electron';
import { type Desktop, startDesktop } from './app.ts';
import { allowAppScheme } from './windows/app-protocol.ts';

const profile = process.env.LATCHKEY_PROFILE;

app.setName('Latchkey');
app.setAppUserModelId('app.latchkey.desktop');
if (profile) {
  mkdirSync(profile, { recursive: true, mode: 0o700 });
  app.setPath('userData', profile);
}
app.enableSandbox();
allowAppScheme();

if (app.requestSingleInstanceLock()) run();
else app.quit();

function run(): void {
  let desktop: Desktop | null = null;
  let ending: 'not-yet' | 'under-way' | 'done' = 'not-yet';
  const reveal = () => desktop?.reveal();

  const start = async () => {
    await app.whenReady();
    desktop = await startDesktop();
  };
  start().catch(endBadly);
  app.on('second-instance', reveal);
  app.on('activate', reveal);
  // The tray keeps the app alive where there is one; without a tray the closed window ends it.
  app.on('window-all-closed', () => app.quit());
  app.on('before-quit', (event) => {
    if (ending === 'done' || desktop === null) return;
    event.preventDefault();
    if (ending === 'under-way') return;
    ending = 'under-way';
    desktop.stop().finally(() => {
      ending = 'done';
      app.quit();
    });
  });
}

function endBadly(error: unknown): void {
  console.error('Latchkey could not start:', error instanceof Error ? error.message : error);
  app.exit(1);
}
