/** The app's only window: creates, shows and hides it, and restores its placement. */
import { BrowserWindow, nativeTheme } from 'electron';
import type { AppState } from '../../shared/ipc/app-state.ts';
import { openRequestChannel, stateChannel } from '../../shared/ipc/channels.ts';
import type { OpenRequest } from '../../shared/ipc/open-request.ts';
import { appPage } from './app-protocol.ts';
import { placeOn, type Rectangle, type WindowPlacement } from './window-placement.ts';

export type MainWindowDeps = {
  /** Path of the preload bundle. */
  readonly preload: string;
  readonly placement: WindowPlacement;
  /** The work areas of the screens that are connected now. */
  readonly screens: () => readonly Rectangle[];
  /** A packaged app has no developer tools. */
  readonly packaged: boolean;
  /** True if the window starts hidden, as at login. */
  readonly startHidden: boolean;
  /** True if closing the window should hide it instead. */
  readonly hidesOnClose: () => boolean;
  readonly onForeground: (foreground: boolean) => void;
  readonly onPlacement: (placement: WindowPlacement) => void;
};

/** Loads the page on construction. */
export class MainWindow {
  readonly browserWindow: BrowserWindow;
  readonly #screens: MainWindowDeps['screens'];
  #onHidden: () => void = () => {};

  constructor(deps: MainWindowDeps) {
    const window = new BrowserWindow(windowOptions(deps));
    this.browserWindow = window;
    this.#screens = deps.screens;
    nativeTheme.on('updated', () => {
      if (!window.isDestroyed()) window.setBackgroundColor(backgroundColor());
    });
    reportForeground(window, deps.onForeground);
    reportPlacement(window, deps.onPlacement);
    window.once('ready-to-show', () => {
      const maximize = () => {
        if (deps.placement.maximized) window.maximize();
      };
      // Maximizing would show it.
      if (deps.startHidden) window.once('show', maximize);
      else {
        maximize();
        window.show();
      }
    });
    window.on('close', (event) => {
      if (!deps.hidesOnClose()) return;
      event.preventDefault();
      window.hide();
      this.#onHidden();
    });
    void window.loadURL(appPage);
  }

  /** Sets what happens when the user closes the window and it is hidden instead. */
  onHidden(listener: () => void): void {
    this.#onHidden = listener;
  }

  /**
   * Shows the window in front of all others, even if it was hidden or minimized, or if its screen was disconnected while
   * it was hidden: not every system moves such a window.
   */
  readonly reveal = (): void => {
    const window = this.browserWindow;
    if (window.isDestroyed()) return;
    if (window.isMinimized()) window.restore();
    const bounds = window.getNormalBounds();
    const placed = placeOn(this.#screens(), bounds);
    if (placed !== null && placed !== bounds) window.setBounds(placed);
    window.show();
    window.focus();
  };

  /** Sends a new state to the page, which has loaded the first one itself. */
  readonly showState = (state: AppState): void => {
    this.#send(stateChannel, state);
  };

  /** Sends what was opened with the app to the page; `null` once that is done. */
  readonly showOpenRequest = (request: OpenRequest | null): void => {
    this.#send(openRequestChannel, request);
  };

  #send(channel: string, value: unknown): void {
    if (!this.browserWindow.isDestroyed()) this.browserWindow.webContents.send(channel, value);
  }
}

function windowOptions({ preload, placement, packaged }: MainWindowDeps): Electron.BrowserWindowConstructorOptions {
  return {
    width: 1040,
    height: 720,
    ...placement.bounds,
    minWidth: 420,
    minHeight: 480,
    show: false,
    title: 'Latchkey',
    backgroundColor: backgroundColor(),
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

/** Shown until the page has painted, so that the window does not flash in the other theme's colors. */
function backgroundColor(): string {
  return nativeTheme.shouldUseDarkColors ? '#0e1016' : '#eef0f4';
}

/** A window is in use while it has the focus: one that is only visible may be behind others for days. */
function reportForeground(window: BrowserWindow, onForeground: (foreground: boolean) => void): void {
  const report = () => onForeground(!window.isDestroyed() && window.isFocused());
  window.on('focus', report);
  window.on('blur', report);
  window.on('closed', report);
}

function reportPlacement(window: BrowserWindow, onPlacement: (placement: WindowPlacement) => void): void {
  const report = () => onPlacement({ bounds: window.getNormalBounds(), maximized: window.isMaximized() });
  window.on('resized', report);
  window.on('moved', report);
  // A window that was never shown is where it was, and not maximized yet.
  window.once('show', () => window.on('close', report));
}
