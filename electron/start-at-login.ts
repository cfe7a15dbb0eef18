/** Starts Latchkey with the person's session, hidden, where the person wants it. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { app } from 'electron';

export const hiddenArgument = '--hidden';

/** Applies the setting; unpackaged, it would start a bare Electron. Rejects where the disk refuses. */
export async function applyStartAtLogin(startAtLogin: boolean): Promise<void> {
  if (!app.isPackaged) return;
  if (process.platform === 'linux') {
    await writeAutostart(join(app.getPath('appData'), 'autostart', 'latchkey.desktop'), startAtLogin);
  } else if (app.getLoginItemSettings({ args: [hiddenArgument] }).openAtLogin !== startAtLogin) {
    app.setLoginItemSettings({ openAtLogin: startAtLogin, args: [hiddenArgument] });
  }
}

/** Linux has no call for it but a file that every desktop reads; Electron leaves that to the app. */
export async function writeAutostart(path: string, startAtLogin: boolean): Promise<void> {
  if (!startAtLogin) return rm(path, { force: true });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, autostartEntry(process.env.APPIMAGE ?? process.execPath));
}

function autostartEntry(program: string): string {
  // Inside the quotes of an Exec line these four have a meaning of their own, and % everywhere.
  const quoted = program.replace(/["`$\\]/g, '\\$&').replaceAll('%', '%%');
  return `[Desktop Entry]\nType=Application\nName=Latchkey\nExec="${quoted}" ${hiddenArgument}\n`;
}
