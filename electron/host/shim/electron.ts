/** What the main process gets from `import 'electron'` and `require('electron')` in the browser host. */
import { app } from './app.ts';
import { BrowserWindow } from './browser-window.ts';
import { ipcMain, protocol } from './handlers.ts';
import {
  autoUpdater,
  Menu,
  nativeImage,
  nativeTheme,
  net,
  powerMonitor,
  safeStorage,
  screen,
  session,
  Tray,
} from './unsupported.ts';
import { clipboard, dialog, Notification, shell } from './user-interaction.ts';

const electron = {
  app,
  autoUpdater,
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
  autoUpdater,
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
