/** The composition root of the desktop app: builds all of its modules from top to bottom. */
import { join } from 'node:path';
import { app, dialog, screen } from 'electron';
import type { Place } from '../shared/ipc/open-request.ts';
import { Announced } from './announced.ts';
import { runClientCommand } from './cli/client-commands.ts';
import { serveControlIfPossible } from './cli/control-server.ts';
import { createClient } from './create-client.ts';
import { DesktopCommands } from './desktop-commands.ts';
import { messagesFor } from './i18n/messages.ts';
import { registerCommands } from './ipc/register-commands.ts';
import { followQuitting } from './is-quitting.ts';
import type { LicensingClient } from './licensing/licensing-client.ts';
import type { Platform } from './licensing/platform.ts';
import type { MenuActions } from './menu.ts';
import { OpenRequests } from './opening/open-requests.ts';
import { registerScheme } from './opening/register-scheme.ts';
import { findDownloads } from './platform/app-updater.ts';
import { controlPath } from './platform/control-path.ts';
import { showsTrayIcons } from './platform/status-notifier.ts';
import { removeProfileData } from './remove-data.ts';
import { applyStartAtLogin, isStartedAtLogin } from './start-at-login.ts';
import { StatePresenter } from './state-presenter.ts';
import { AppTray } from './tray.ts';
import { appOrigin, appPage, serveApp } from './windows/app-protocol.ts';
import { offerContextMenu } from './windows/context-menu.ts';
import { MainWindow } from './windows/main-window.ts';
import { logEndedProcesses, recoverPage } from './windows/page-recovery.ts';
import { denyNavigation, denyPermissions } from './windows/page-security.ts';
import { readWindowPlacement, writeWindowPlacement } from './windows/window-placement.ts';

export type Desktop = {
  /** Brings the window to the front. */
  readonly reveal: () => void;
  /** Handles the links and files that are opened with the app. */
  readonly openRequests: OpenRequests;
  /**
   * Cancels timers and requests, and finishes pending writes. Then removes the stored data, if the user asked for that.
   */
  readonly stop: () => Promise<void>;
};

/** Builds and starts the desktop app. Electron must be ready. Rejects with a user-facing message if it cannot start. */
export async function startDesktop(): Promise<Desktop> {
  const folder = app.getPath('userData');
  const bundles = join(app.getAppPath(), 'dist');
  const systemLocale = app.getLocale();
  const withoutKeyring = process.versions.electron ? 'ask' : 'file';
  const { client, platform, log, links, scheme } = await createClient({
    folder,
    withoutKeyring,
    hasWindow: true,
  });
  denyPermissions(log);
  denyNavigation(appPage, log);
  serveApp(join(bundles, 'renderer'), log);

  const startsAtLogin = isStartedAtLogin();
  const tray = (await showsTrayIcons({ isStartedAtLogin: startsAtLogin })) ? AppTray.create() : null;
  const window = await openMainWindow(platform, client, {
    preload: join(bundles, 'preload', 'preload.cjs'),
    hasTray: tray !== null,
    startHidden: tray !== null && startsAtLogin,
  });
  tray?.onOpen(window.reveal);
  const { browserWindow } = window;

  const messages = () => messagesFor(client.getState().settings.language, systemLocale);
  recoverPage({ window: browserWindow, messages, clock: platform.clock, log });
  offerContextMenu(browserWindow, messages);
  logEndedProcesses(log);

  registerScheme(scheme);
  const { reveal, showOpenRequest: show } = window;
  const openRequests = new OpenRequests({ ...platform, scheme, client, reveal, show });

  const context = { client, profile: folder, hasWindow: true, scheme, openRequests, log };
  const control = await serveControlIfPossible(
    controlPath(folder),
    (name, input, caller) => runClientCommand(name, input, { ...context, ...caller }),
    log,
  );

  let removesData = false;
  const commands = new DesktopCommands({
    client,
    openRequests,
    window: browserWindow,
    links,
    messages,
    clock: platform.clock,
    quitAndRemoveData: () => {
      removesData = true;
      app.quit();
    },
  });
  registerCommands(client, commands, {
    window: browserWindow,
    ownOrigin: appOrigin,
    now: platform.clock.now,
    log,
  });

  const openPlace = (place: Place) => void openRequests.open({ kind: 'link', link: `${scheme}://open/${place}` });
  const menu: MenuActions = {
    // The tray and the window show the result.
    checkNow: () => void client.syncNow(),
    openSettings: () => openPlace('settings'),
    checkForUpdates: () => {
      openPlace('installer');
      // The screen shows the result.
      void client.checkForUpdates();
    },
    showShortcuts: () => {
      reveal();
      show({ id: platform.random.uuid(), kind: 'shortcuts' });
    },
    openHelp: links.help === undefined ? null : () => void commands.openLink({ name: 'help' }),
  };
  const announced = await Announced.load(platform.plain, log);
  const presenter = new StatePresenter({
    reveal,
    openPlace,
    menu,
    tray,
    announced,
    systemLocale,
    now: platform.clock.now,
    log,
  });
  window.onHidden(presenter.announceHidden);
  presenter.present(client.getState());
  client.subscribe(presenter.present);
  client.subscribe(window.showState);
  client.start().catch((error: unknown) => log.warn('the licensing client did not start', { error }));

  const stop = async () => {
    await control.close();
    await client.stop();
    await log.flush();
    if (!removesData) return;
    // A window that closes stores where it was.
    browserWindow.destroy();
    const left = await removeProfileData(folder, app.isPackaged ? findDownloads() : null);
    await applyStartAtLogin(false).catch((error: unknown) => left.push(String(error)));
    if (left.length > 0) dialog.showErrorBox(messages().dialogs.notRemoved, left.join('\n'));
  };
  return { reveal, openRequests, stop };
}

type MainWindowOptions = { readonly preload: string; readonly hasTray: boolean; readonly startHidden: boolean };

/** With a tray, closing the window hides it until the app quits, unless the user has turned that off. */
async function openMainWindow(
  { plain, log }: Platform,
  client: LicensingClient,
  { preload, hasTray, startHidden }: MainWindowOptions,
): Promise<MainWindow> {
  const isQuitting = followQuitting();
  const screens = () => screen.getAllDisplays().map(({ workArea }) => workArea);
  return new MainWindow({
    preload,
    placement: await readWindowPlacement(plain, screens()),
    screens,
    packaged: app.isPackaged,
    startHidden,
    hidesOnClose: () => hasTray && !isQuitting() && client.getState().settings.keepRunning,
    onForeground: (foreground) => client.setForeground(foreground),
    onPlacement: (placement) => void writeWindowPlacement(plain, log, placement),
  });
}
