/** What `import 'electron'` and `require('electron')` give main where the host runs it. */
import { app } from './app.ts';
import { BrowserWindow } from './browser-window.ts';
import {
  Menu,
  nativeImage,
  nativeTheme,
  net,
  powerMonitor,
  safeStorage,
  screen,
  session,
  Tray,
} from './desktop-parts.ts';
import { ipcMain } from './ipc-main.ts';
import { clipboard, dialog, Notification, shell } from './person.ts';
import { protocol } from './protocol.ts';

const electron = {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  nativeTheme,
  net,
  Notification,
  powerMonitor,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
};

export {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  Notification,
  nativeImage,
  nativeTheme,
  net,
  powerMonitor,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
};

// biome-ignore lint/style/noDefaultExport: electron-store imports Electron's default
export default electron;
