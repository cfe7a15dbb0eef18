/** Registers this app with the system to open its links. */
import { app } from 'electron';

/**
 * On Windows the command is `"EXE" "--" "%1"`, so that no link is parsed as an option. Does nothing if the app is not
 * packaged: the system would start a bare Electron.
 */
export function registerScheme(scheme: string): void {
  if (app.isPackaged) app.setAsDefaultProtocolClient(scheme, process.execPath, ['--']);
}
