/** The tray icon: one sentence on the license, a way to the window, and a way to quit. */
import { app, Menu, nativeImage, Tray } from 'electron';
import type { AppState } from '../shared/ipc/app-state.ts';
import trayIcon from './assets/tray.png?inline';
import { traySentence } from './tray-sentence.ts';

export type AppTray = { readonly show: (state: AppState) => void };

/** Makes the icon, or `null` where the system has no place for one. */
export function createTray(onOpen: () => void): AppTray | null {
  try {
    const icon = nativeImage.createFromDataURL(trayIcon);
    icon.setTemplateImage(true);
    const tray = new Tray(icon);
    tray.on('click', onOpen);
    return { show: (state) => showState(tray, traySentence(state), onOpen) };
  } catch {
    return null;
  }
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
