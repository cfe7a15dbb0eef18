/** Electron's `BrowserWindow`: its page is served to a browser, as many tabs of it as the person opens. */
import { EventEmitter } from 'node:events';
import { servePage } from '../page-server.ts';
import { openUploads } from '../uploads.ts';
import { app } from './app.ts';
import { windowPort } from './host-options.ts';
import { invokeMain } from './ipc-main.ts';
import { Pages } from './pages.ts';
import { answerScheme } from './protocol.ts';

type Real = Electron.BrowserWindow;

/** What the host provides of a window's contents. */
export class WebContents extends EventEmitter {
  readonly mainFrame = { url: 'about:blank', parent: null };
  readonly pages: Pages;

  constructor(onVisible: (visible: boolean) => void) {
    super();
    const event = { sender: this, senderFrame: this.mainFrame };
    this.pages = new Pages({ onInvoke: (channel, input) => invokeMain(event, channel, input), onVisible });
  }

  send(channel: string, ...input: unknown[]): void {
    this.pages.send(channel, input);
  }

  /** A browser lets no page of ours open one; there is nothing to decide. */
  setWindowOpenHandler(_handler: () => { readonly action: 'deny' }): void {}
}

type Provided =
  | 'loadURL'
  | 'show'
  | 'hide'
  | 'focus'
  | 'restore'
  | 'maximize'
  | 'isVisible'
  | 'isMinimized'
  | 'isMaximized'
  | 'isDestroyed'
  | 'getNormalBounds'
  | 'setBackgroundColor';

export class BrowserWindow extends EventEmitter implements Pick<Real, Provided> {
  readonly webContents: WebContents;
  readonly #options: Electron.BrowserWindowConstructorOptions;
  #destroyed = false;

  constructor(options: Electron.BrowserWindowConstructorOptions = {}) {
    super();
    this.#options = options;
    this.webContents = new WebContents((visible) => this.emit(visible ? 'show' : 'hide'));
    app.emit('web-contents-created', {}, this.webContents);
    openWindows.add(this);
    app.once('will-quit', () => this.destroy());
  }

  async loadURL(url: string): Promise<void> {
    this.webContents.mainFrame.url = url;
    const uploads = await openUploads();
    const server = await servePage({
      port: windowPort,
      answerApp: answerScheme,
      pageUrl: new URL(url),
      preload: this.#options.webPreferences?.preload ?? '',
      uploads,
      onSocket: (request, socket, head) => this.webContents.pages.accept(request, socket, head),
      onAddress: (address) => console.log(address),
    });
    this.once('closed', () => {
      this.webContents.pages.close();
      server.close();
      uploads.removeNow();
    });
    this.emit('ready-to-show');
  }

  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    openWindows.delete(this);
    this.emit('closed');
  }

  /** A browser's tab is shown and hidden by the person. */
  show(): void {}
  hide(): void {}
  focus(): void {}
  restore(): void {}
  maximize(): void {}
  setBackgroundColor(_color: string): void {}
  isVisible(): boolean {
    return this.webContents.pages.visible;
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

/** The window that is asked when main names none. */
export function anyPages(): Pages | undefined {
  return [...openWindows][0]?.webContents.pages;
}
