/** Starts Latchkey hidden when the user logs in to the system. */
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { app } from 'electron';
import { createFolder } from './platform/create-folder.ts';

/** Argument that starts the app without showing its window. */
const hiddenArgument = '--hidden';

/** True if the system started the app at login, rather than the user. macOS passes no arguments. */
export function isStartedAtLogin(): boolean {
  if (process.platform === 'darwin') return app.getLoginItemSettings().wasOpenedAtLogin;
  return process.argv.includes(hiddenArgument);
}

/** Applies the setting. Does nothing if the app is not packaged: the system would start a bare Electron. */
export async function applyStartAtLogin(startAtLogin: boolean): Promise<void> {
  if (!app.isPackaged) return;
  if (process.platform === 'linux') {
    await writeAutostart(join(app.getPath('appData'), 'autostart', 'latchkey.desktop'), startAtLogin);
  } else if (app.getLoginItemSettings({ args: [hiddenArgument] }).openAtLogin !== startAtLogin) {
    app.setLoginItemSettings({ openAtLogin: startAtLogin, args: [hiddenArgument] });
  }
}

/**
 * Writes or removes the XDG autostart file, since Electron does not support this on Linux. Rejects if it cannot be
 * written.
 */
export async function writeAutostart(path: string, startAtLogin: boolean): Promise<void> {
  if (!startAtLogin) return rm(path, { force: true });
  createFolder(dirname(path));
  await writeFile(path, autostartEntry(process.env.APPIMAGE ?? process.execPath));
}

function autostartEntry(program: string): string {
  // These four are special inside the quotes of an Exec line, and % anywhere in it.
  const quoted = program.replace(/["`$\\]/g, '\\$&').replaceAll('%', '%%');
  // The line is a text, whose own escapes are read first. A line break would begin another entry.
  const text = quoted.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
  return `[Desktop Entry]\nType=Application\nName=Latchkey\nExec="${text}" ${hiddenArgument}\n`;
}
