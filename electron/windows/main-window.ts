/** The one window: how it is made, shown, hidden and remembered. */
import { BrowserWindow, nativeTheme } from 'electron';
import { appPage } from './app-protocol.ts';
import { windowBackground } from './window-background.ts';
import type { WindowPlace } from './window-bounds.ts';

export type MainWindowOptions = {
  readonly preload: string;
  readonly place: WindowPlace;
  readonly packaged: boolean;
  /** Starts without showing itself, as at login. */
  readonly startHidden: boolean;
  /** Whether closing hides the window instead of ending the app. */
  readonly closeHides: () => boolean;
  readonly onForeground: (foreground: boolean) => void;
  readonly onPlace: (place: WindowPlace) => void;
};

export type MainWindow = {
  readonly browserWindow: BrowserWindow;
  /** Shows the window in front, wherever it was. */
  readonly reveal: () => void;
  readonly send: (channel: string, payload: unknown) => void;
};

/** Makes the window and loads the page. */
export function createMainWindow(options: MainWindowOptions): MainWindow {
  const window = new BrowserWindow(windowOptions(options));
  nativeTheme.on('updated', () => {
    if (!window.isDestroyed()) window.setBackgroundColor(windowBackground());
  });
  tellForeground(window, options.onForeground);
  rememberPlace(window, options.onPlace);
  window.once('ready-to-show', () => {
    if (options.place.maximized) window.maximize();
    if (!options.startHidden) window.show();
  });
  window.on('close', (event) => {
    if (!options.closeHides()) return;
    event.preventDefault();
    window.hide();
  });
  void window.loadURL(appPage);
  return {
    browserWindow: window,
    reveal: () => reveal(window),
    send: (channel, payload) => {
      if (!window.isDestroyed()) window.webContents.send(channel, payload);
    },
  };
}

function windowOptions({ preload, place, packaged }: MainWindowOptions): Electron.BrowserWindowConstructorOptions {
  return {
    width: 1040,
    height: 720,
    ...place.bounds,
    minWidth: 420,
    minHeight: 480,
    show: false,
    title: 'Latchkey',
    backgroundColor: windowBackground(),
    autoHideMenuBar: true,
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
      devTools: !packaged,
    },
  };
}

function reveal(window: BrowserWindow): void {
  if (window.isDestroyed()) return;
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}

function tellForeground(window: BrowserWindow, onForeground: (foreground: boolean) => void): void {
  const tell = () => onForeground(!window.isDestroyed() && window.isVisible() && !window.isMinimized());
  window.on('show', tell);
  window.on('hide', tell);
  window.on('minimize', tell);
  window.on('restore', tell);
  window.on('closed', tell);
}

function rememberPlace(window: BrowserWindow, onPlace: (place: WindowPlace) => void): void {
  const remember = () => onPlace({ bounds: window.getNormalBounds(), maximized: window.isMaximized() });
  window.on('resized', remember);
  window.on('moved', remember);
  window.on('close', remember);
}
