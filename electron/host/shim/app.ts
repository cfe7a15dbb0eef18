/** Electron's `app` in Node: paths, the ready event, the instance lock, and quitting. */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createFolder } from '../../platform/create-folder.ts';
import { type FolderLock, lockFolder } from '../folder-lock.ts';

type PathName = Parameters<Electron.App['getPath']>[0];

/** The folder with package.json and dist/: this repository, or an app extracted from its archive. */
export const root = resolve(process.env.LATCHKEY_APP_FOLDER || resolve(import.meta.dirname, '../../..'));

const manifest: { readonly version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const paths = new Map<string, string>();
const readiness = Promise.withResolvers<void>();
let isReady = false;
let name = 'latchkey';
let quitting = false;
let instanceLock: FolderLock | null = null;

/** An earlier instance that was stopped together with `npm start` needs a moment to end. */
const instanceLockTimeoutMs = 5_000;

const events = new EventEmitter();

type Provided =
  | 'isPackaged'
  | 'getName'
  | 'setName'
  | 'setAppUserModelId'
  | 'setAsDefaultProtocolClient'
  | 'enableSandbox'
  | 'getVersion'
  | 'getLocale'
  | 'getAppPath'
  | 'getPath'
  | 'setPath'
  | 'isReady'
  | 'whenReady'
  | 'requestSingleInstanceLock'
  | 'getLoginItemSettings'
  | 'setLoginItemSettings'
  | 'quit'
  | 'relaunch'
  | 'setBadgeCount'
  | 'exit';

/** The browser host has no Chromium switches. */
const commandLine: Pick<Electron.CommandLine, 'getSwitchValue'> = { getSwitchValue: () => '' };

const methods: Pick<Electron.App, Provided> = {
  isPackaged: false,
  getName: () => name,
  setName: (given) => {
    name = given;
  },
  setAppUserModelId: () => {},
  setAsDefaultProtocolClient: () => false,
  enableSandbox: () => {},
  getVersion: () => manifest.version,
  getLocale: () => Intl.DateTimeFormat().resolvedOptions().locale,
  getAppPath: () => root,
  getPath,
  setPath: (path, folder) => {
    paths.set(path, folder);
  },
  isReady: () => isReady,
  whenReady: () => readiness.promise,
  requestSingleInstanceLock,
  getLoginItemSettings: () => ({ openAtLogin: false }) as Electron.LoginItemSettings,
  setLoginItemSettings: () => {},
  setBadgeCount: () => false,
  // Only an update asks for it, and the browser host installs none.
  relaunch: () => {},
  quit: () => {
    if (quitting || isPrevented('before-quit')) return;
    quitting = true;
    events.emit('will-quit', {});
    events.emit('quit', {}, 0);
    process.exit(process.exitCode ?? 0);
  },
  exit: (code) => process.exit(code ?? 0),
};

export const app = Object.assign(events, methods, { commandLine });

/**
 * Unlike in Electron, the first instance is not shown, so a second one says why it ends, and fails. One with data does
 * not wait, because its caller retries.
 */
function requestSingleInstanceLock(data?: Record<PropertyKey, unknown>): boolean {
  const folder = getPath('userData');
  instanceLock ??= lockFolder(folder, { name: 'browser-host', timeoutMs: data ? 0 : instanceLockTimeoutMs });
  if (instanceLock !== null || data) return instanceLock !== null;
  // What was opened is not repeated: a link may contain a license key.
  const opens = process.argv.slice(2).some((parameter) => !parameter.startsWith('-'));
  console.error(
    `Latchkey is already running with the profile ${folder}. Quit it first, or set LATCHKEY_PROFILE to another folder.`,
    ...(opens ? ['To open a link or a file in its window: npm run --silent latchkey -- open LINK_OR_FILE'] : []),
  );
  process.exitCode = 1;
  return false;
}

/** Fires `ready`, as Electron does after loading the main process. */
export function becomeReady(): void {
  isReady = true;
  readiness.resolve();
  events.emit('ready', {}, {});
}

/** Emits an event whose listeners may prevent the default action. */
function isPrevented(event: string): boolean {
  let prevented = false;
  events.emit(event, {
    preventDefault: () => {
      prevented = true;
    },
  });
  return prevented;
}

function getPath(path: PathName): string {
  return paths.get(path) ?? defaultPath(path);
}

function defaultPath(path: PathName): string {
  const home = homedir();
  switch (path) {
    case 'home':
      return home;
    case 'temp':
      return tmpdir();
    case 'downloads':
      return process.env.XDG_DOWNLOAD_DIR ?? join(home, 'Downloads');
    case 'appData':
      return appDataFolder(home);
    case 'userData': {
      const folder = join(appDataFolder(home), name);
      createFolder(folder);
      return folder;
    }
    default:
      throw new Error(`The browser host has no folder "${path}".`);
  }
}

function appDataFolder(home: string): string {
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (process.platform === 'win32') return process.env.APPDATA ?? join(home, 'AppData', 'Roaming');
  return process.env.XDG_CONFIG_HOME || join(home, '.config');
}
