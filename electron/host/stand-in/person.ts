/** The objects of Electron that reach the person: dialogs, the clipboard, links, notifications; here through the page. */
import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { anyPages, type BrowserWindow } from './browser-window.ts';

export const dialog = {
  /** The page's own file chooser. */
  showOpenDialog: async (window: BrowserWindow, _options: Electron.OpenDialogOptions) => {
    const path = await window.webContents.pages.ask({ what: 'choose-file' });
    return { canceled: typeof path !== 'string', filePaths: typeof path === 'string' ? [path] : [] };
  },
  /** No chooser: the proposed place, under a name that is free; main tells the person where. */
  showSaveDialog: async (_window: BrowserWindow, { defaultPath = '' }: Electron.SaveDialogOptions) => {
    mkdirSync(dirname(defaultPath), { recursive: true });
    return { canceled: false, filePath: freePath(defaultPath) };
  },
};

export const clipboard: Pick<Electron.Clipboard, 'writeText' | 'readText'> = {
  writeText: async (text: string) => {
    await anyPages()?.ask({ what: 'write-clipboard', text });
  },
  readText: async () => String((await anyPages()?.ask({ what: 'read-clipboard' })) ?? ''),
};

export const shell: Pick<Electron.Shell, 'openExternal'> = {
  openExternal: async (url: string) => {
    await anyPages()?.ask({ what: 'open-link', url });
  },
};

export class Notification extends EventEmitter implements Pick<Electron.Notification, 'show'> {
  readonly #options: Electron.NotificationConstructorOptions;

  static isSupported(): boolean {
    return true;
  }

  constructor(options: Electron.NotificationConstructorOptions = {}) {
    super();
    this.#options = options;
  }

  show(): void {
    console.log(`Notification: ${this.#options.title}: ${this.#options.body}`);
  }
}

function freePath(path: string): string {
  const ending = extname(path);
  const stem = join(dirname(path), basename(path, ending));
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? path : `${stem} (${number})${ending}`;
    if (!existsSync(candidate)) return candidate;
  }
}
