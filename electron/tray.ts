/** The tray icon: one sentence on the license, a way to the window, and a way to quit. */
import { app, Menu, nativeImage, Tray } from 'electron';
import type { AppState } from '../shared/ipc/app-state.ts';
import trayIcon from './assets/tray.png?inline';
import trayTemplate from './assets/tray-template.png?inline';
import { traySentence } from './tray-sentence.ts';

export type AppTray = { readonly show: (state: AppState) => void };

/** Makes the icon, or `null` where the system has no place for one. */
export function createTray(onOpen: () => void): AppTray | null {
  try {
    const tray = new Tray(trayImage());
    tray.on('click', onOpen);
    return { show: (state) => showState(tray, traySentence(state), onOpen) };
  } catch {
    return null;
  }
}

/** macOS colours the icon as its menu bar wants it, and counts two pixels a point. */
function trayImage(): Electron.NativeImage {
  if (process.platform !== 'darwin') return nativeImage.createFromDataURL(trayIcon);
  const bytes = Buffer.from(trayTemplate.slice(trayTemplate.indexOf(',') + 1), 'base64');
  const image = nativeImage.createFromBuffer(bytes, { scaleFactor: 2 });
  image.setTemplateImage(true);
  return image;
}

function showState(tray: Tray, sentence: string, onOpen: () => void): void {
  tray.setToolTip(`Latchkey: ${sentence}`);
  tray.setContextMenu(
    Menu.buildFromTemplate([
      { label: sentence, enabled: false },
      { type: 'separator' },
      { label: 'Open Latchkey', click: onOpen },
      { label: 'Quit', click: () => app.quit() },
    ]),
  );
}
