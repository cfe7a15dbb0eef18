/** Starts Latchkey with the person's session, hidden, where the person wants it. */
import { app } from 'electron';

export const hiddenArgument = '--hidden';

/** Applies the setting; unpackaged, the login item would start a bare Electron. */
export function applyStartAtLogin(startAtLogin: boolean): void {
  if (!app.isPackaged || app.getLoginItemSettings({ args: [hiddenArgument] }).openAtLogin === startAtLogin) return;
  app.setLoginItemSettings({ openAtLogin: startAtLogin, args: [hiddenArgument] });
}
