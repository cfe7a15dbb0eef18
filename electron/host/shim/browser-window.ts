/** Electron's `BrowserWindow`: its page is served to a browser, where the user may open it in several tabs. */
import { EventEmitter } from 'node:events';
import { PageServer } from '../page/page-server.ts';
import { Uploads } from '../page/uploads.ts';
import { app } from './app.ts';
import { handleSchemeRequest, invokeMain } from './handlers.ts';
import { Pages } from './pages.ts';

/** Port of the page; 0 picks a free one. */
const windowPort = Number(process.env.LATCHKEY_WINDOW_PORT ?? 0);

export class WebContents extends EventEmitter {
  readonly mainFrame = { url: 'about:blank', parent: null };
  readonly pages: Pages;

  constructor(onFocused: (focused: boolean) => void) {
    super();
    const event = { sender: this, senderFrame: this.mainFrame };
    this.pages = new Pages({ onInvoke: (channel, input) => invokeMain(event, channel, input), onFocused });
  }

  send(channel: string, ...input: unknown[]): void {
    this.pages.send(channel, input);
  }

  /** Do nothing: the user reloads a tab or ends its process in the browser. */
  reload(): void {}
  forcefullyCrashRenderer(): void {}

  /** Does nothing: a page in a browser cannot open windows of the app. */
  setWindowOpenHandler(_handler: () => { readonly action: 'deny' }): void {}
}

type Provided =
  | 'loadURL'
  | 'show'
  | 'hide'
  | 'focus'
  | 'restore'
  | 'maximize'
  | 'isFocused'
  | 'isMinimized'
  | 'isMaximized'
  | 'isDestroyed'
  | 'getNormalBounds'
  | 'setBounds'
  | 'setBackgroundColor';

export class BrowserWindow extends EventEmitter implements Pick<Electron.BrowserWindow, Provided> {
  readonly webContents: WebContents;
  readonly #options: Electron.BrowserWindowConstructorOptions;
  #destroyed = false;

  constructor(options: Electron.BrowserWindowConstructorOptions = {}) {
    super();
    this.#options = options;
    this.webContents = new WebContents((focused) => this.emit(focused ? 'focus' : 'blur'));
    app.emit('web-contents-created', {}, this.webContents);
    openWindows.add(this);
    app.once('will-quit', () => this.destroy());
  }

  async loadURL(url: string): Promise<void> {
    this.webContents.mainFrame.url = url;
    const uploads = await Uploads.open();
    const server = await PageServer.start({
      port: windowPort,
      handleAppRequest: handleSchemeRequest,
      pageUrl: new URL(url),
      preload: this.#options.webPreferences?.preload ?? '',
      uploads,
      onSocket: (request, socket, head) => this.webContents.pages.accept(request, socket, head),
      onAddress: (address) => console.log(address),
    });
    this.once('closed', () => {
      this.webContents.pages.close();
      server.close();
      uploads.remove();
    });
    this.emit('ready-to-show');
  }

  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    openWindows.delete(this);
    this.emit('closed');
  }

  /** Do nothing: only the user shows, moves and hides a browser tab. */
  show(): void {}
  hide(): void {}
  focus(): void {}
  restore(): void {}
  maximize(): void {}
  setBackgroundColor(_color: string): void {}
  setBounds(_bounds: Electron.Rectangle): void {}
  isFocused(): boolean {
    return this.webContents.pages.focused;
  }
  isMinimized(): boolean {
    return false;
  }
  isMaximized(): boolean {
    return false;
  }
  isDestroyed(): boolean {
    return this.#destroyed;
  }
  getNormalBounds(): Electron.Rectangle {
    const { x = 0, y = 0, width = 800, height = 600 } = this.#options;
    return { x, y, width, height };
  }
}

const openWindows = new Set<BrowserWindow>();

/** Returns the pages of the first window, for calls in which the main process names no window. */
export function anyPages(): Pages | undefined {
  return [...openWindows][0]?.webContents.pages;
}
