/** What the host is told by whoever starts it. */
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The folder that holds package.json and dist/. */
export const root = resolve(import.meta.dirname, '../../..');

/** The port of the window; 0 picks a free one. */
export const windowPort = Number(process.env.LATCHKEY_WINDOW_PORT ?? 0);

/** Where a person of this system keeps what apps know, as Electron would have it. */
export function defaultFolder(name: 'appData' | 'downloads' | 'temp' | 'home'): string {
  const home = homedir();
  switch (name) {
    case 'home':
      return home;
    case 'temp':
      return tmpdir();
    case 'downloads':
      return process.env.XDG_DOWNLOAD_DIR ?? join(home, 'Downloads');
    case 'appData':
      if (process.platform === 'darwin') return join(home, 'Library', 'Application Support');
      if (process.platform === 'win32') return process.env.APPDATA ?? join(home, 'AppData', 'Roaming');
      return process.env.XDG_CONFIG_HOME ?? join(home, '.config');
  }
}
