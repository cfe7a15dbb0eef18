/** Makes the system open the app's links with this app. */
import { app } from 'electron';

/**
 * On Windows the command is `"EXE" "--" "%1"`, so that no link is read as an option. Does nothing if the app is not
 * packaged: the system would start an empty Electron.
 */
export function registerScheme(scheme: string): void {
  if (app.isPackaged) app.setAsDefaultProtocolClient(scheme, process.execPath, ['--']);
}
