/** The composition root of the desktop: builds everything from top to bottom, by hand. */
import { join } from 'node:path';
import { app, screen } from 'electron';
import type { AppInfo } from '../shared/ipc/app-state.ts';
import { stateChannel } from '../shared/ipc/channels.ts';
import { declaredLinkNames, type LinkAddresses } from '../shared/ipc/links.ts';
import { DesktopCommands } from './desktop-commands.ts';
import { registerCommands } from './ipc/register-commands.ts';
import { isOwnPage } from './ipc/sender.ts';
import { createLicensingClient } from './licensing/create-licensing-client.ts';
import { setMenu } from './menu.ts';
import { noticesBetween } from './notices.ts';
import { showNotice } from './notifications.ts';
import { createPlatform } from './platform/create-platform.ts';
import { FileLog } from './platform/log.ts';
import { applyStartAtLogin, hiddenArgument } from './start-at-login.ts';
import { createTray } from './tray.ts';
import { appOrigin, serveApp } from './windows/app-protocol.ts';
import { denyNavigation, denyPermissions } from './windows/deny-by-default.ts';
import { createMainWindow } from './windows/main-window.ts';
import { applyTheme } from './windows/window-background.ts';
import { readWindowPlace, writeWindowPlace } from './windows/window-bounds.ts';

export type Desktop = {
  /** Brings the window to the front. */
  readonly reveal: () => void;
  /** Ends timers and requests and finishes what is being written. */
  readonly stop: () => Promise<void>;
};

const defaultServerAddress = 'http://127.0.0.1:8470';

/** What package.json says in `latchkey.links`, put here by the build. */
declare const declaredLinks: LinkAddresses;

/** Builds and starts the desktop; wants Electron to be ready. */
export async function startDesktop(): Promise<Desktop> {
  const folder = app.getPath('userData');
  const built = join(app.getAppPath(), 'dist');
  const log = new FileLog({ folder: join(folder, 'logs'), now: Date.now });
  const runtime: AppInfo['runtime'] = process.versions.electron ? 'electron' : 'browser-host';
  const platform = await createPlatform({ folder, log, withoutKeyring: runtime === 'electron' ? 'ask' : 'file' });
  const { clock, plain, files } = platform;
  const client = createLicensingClient({
    platform,
    app: {
      version: app.getVersion(),
      platform: platform.machine.platform,
      runtime,
      ownInstaller: (await files.findOwnInstaller()) !== null,
      links: declaredLinkNames(declaredLinks),
    },
    defaultServerAddress: process.env.LATCHKEY_SERVER_URL || defaultServerAddress,
  });

  denyPermissions();
  denyNavigation();
  serveApp(join(built, 'renderer'));
  setMenu();

  let quitting = false;
  const tray = createTray(() => window.reveal());
  const screens = screen.getAllDisplays().map(({ workArea }) => workArea);
  const window = createMainWindow({
    preload: join(built, 'preload', 'preload.cjs'),
    place: await readWindowPlace(plain, screens),
    packaged: app.isPackaged,
    startHidden: tray !== null && process.argv.includes(hiddenArgument),
    closeHides: () => tray !== null && !quitting,
    onForeground: client.setForeground,
    onPlace: (place) => void writeWindowPlace(plain, place),
  });
  const { browserWindow } = window;

  registerCommands(client, new DesktopCommands({ client, window: browserWindow, links: declaredLinks, clock }), {
    isAllowed: (event) => isOwnPage(event, browserWindow, appOrigin),
    now: clock.now,
    log,
  });

  let startsAtLogin: boolean | null = null;
  const followStartAtLogin = (wanted: boolean) => {
    if (startsAtLogin === wanted) return;
    startsAtLogin = wanted;
    applyStartAtLogin(wanted).catch((error: unknown) => log.warn('Start at login could not be set', { error }));
  };

  let shown = client.getState();
  client.subscribe((state) => {
    for (const notice of noticesBetween(shown, state)) showNotice(notice, window.reveal);
    shown = state;
    applyTheme(state.settings.theme);
    followStartAtLogin(state.settings.startAtLogin);
    tray?.show(state);
    window.send(stateChannel, state);
  });
  tray?.show(shown);
  app.on('before-quit', () => {
    quitting = true;
  });
  client.start().catch((error: unknown) => log.warn('The licensing client did not start', { error }));

  return {
    reveal: window.reveal,
    stop: async () => {
      await client.stop();
      await log.flush();
    },
  };
}
