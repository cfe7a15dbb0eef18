/** Electron's dialogs, clipboard, links and notifications: through the page, or printed to the terminal. */
import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { toPrintable } from '../../../shared/formats/printable.ts';
import { createFolder } from '../../platform/create-folder.ts';
import { anyPages, type BrowserWindow } from './browser-window.ts';

export const dialog = {
  /** There is no page yet, and the main process has already printed the same message. */
  showErrorBox: (_title: string, _content: string) => {},
  /** The main process asks only about a page that crashes or hangs, which a browser reports to its user itself. */
  showMessageBox: async (_window: BrowserWindow, _options: Electron.MessageBoxOptions) => ({ response: 0 }),
  /** The browser's own file dialog. */
  showOpenDialog: async (window: BrowserWindow, { properties = [] }: Electron.OpenDialogOptions) => {
    const kind = properties.includes('openDirectory') ? 'choose-folder' : 'choose-file';
    const path = await window.webContents.pages.request({ kind });
    return { canceled: typeof path !== 'string', filePaths: typeof path === 'string' ? [path] : [] };
  },
  /** A browser has no such dialog, so the file is saved at the suggested path, under an unused name. */
  showSaveDialog: async (_window: BrowserWindow, { defaultPath = '' }: Electron.SaveDialogOptions) => {
    createFolder(dirname(defaultPath));
    return { canceled: false, filePath: freePath(defaultPath) };
  },
};

export const clipboard: Pick<Electron.Clipboard, 'writeText' | 'readText'> = {
  writeText: async (text: string) => {
    await anyPages()?.request({ kind: 'write-clipboard', text });
  },
  readText: async () => String((await anyPages()?.request({ kind: 'read-clipboard' })) ?? ''),
};

export const shell: Pick<Electron.Shell, 'openExternal' | 'openPath'> = {
  openExternal: async (url: string) => {
    await anyPages()?.request({ kind: 'open-link', url });
  },
  /** The window does not offer it here, because a browser opens no folders. */
  openPath: async () => 'The browser host opens no folders.',
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
    const { title = '', body = '' } = this.#options;
    // The text may come from a server.
    console.log(toPrintable(`Notification: ${title}: ${body}`));
  }
}

function freePath(path: string): string {
  const extension = extname(path);
  const stem = join(dirname(path), basename(path, extension));
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? path : `${stem} (${number})${extension}`;
    if (!existsSync(candidate)) return candidate;
  }
}
