/** Electron's `app` in plain Node: paths, readiness, one instance, and the steps of quitting. */
import { EventEmitter } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultFolder, root } from './host-options.ts';
import { takeLock } from './instance-lock.ts';

type PathName = Parameters<Electron.App['getPath']>[0];

const manifest: { readonly version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const paths = new Map<string, string>();
const readiness = Promise.withResolvers<void>();
let name = 'latchkey';
let quitting = false;

const events = new EventEmitter();

type Provided =
  | 'isPackaged'
  | 'getName'
  | 'setName'
  | 'setAppUserModelId'
  | 'enableSandbox'
  | 'getVersion'
  | 'getLocale'
  | 'getAppPath'
  | 'getPath'
  | 'setPath'
  | 'whenReady'
  | 'requestSingleInstanceLock'
  | 'getLoginItemSettings'
  | 'setLoginItemSettings'
  | 'quit'
  | 'exit';

const methods: Pick<Electron.App, Provided> = {
  isPackaged: false,
  getName: () => name,
  setName: (given) => {
    name = given;
  },
  setAppUserModelId: () => {},
  enableSandbox: () => {},
  getVersion: () => manifest.version,
  getLocale: () => Intl.DateTimeFormat().resolvedOptions().locale,
  getAppPath: () => root,
  getPath,
  setPath: (path, folder) => {
    paths.set(path, folder);
  },
  whenReady: () => readiness.promise,
  requestSingleInstanceLock: () => takeLock(getPath('userData')),
  getLoginItemSettings: () => ({ openAtLogin: false }) as Electron.LoginItemSettings,
  setLoginItemSettings: () => {},
  quit: () => {
    if (quitting || isPrevented('before-quit')) return;
    quitting = true;
    events.emit('will-quit', {});
    events.emit('quit', {}, 0);
    process.exit(process.exitCode ?? 0);
  },
  exit: (code) => process.exit(code ?? 0),
};

export const app = Object.assign(events, methods);

/** Fires `ready`, as Electron does once main was loaded. */
export function becomeReady(): void {
  readiness.resolve();
  events.emit('ready', {}, {});
}

/** Emits an event whose listeners may prevent what follows. */
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
  return paths.get(path) ?? ownFolder(path);
}

function ownFolder(path: PathName): string {
  if (path === 'userData') {
    const folder = join(defaultFolder('appData'), name);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  }
  if (path === 'appData' || path === 'downloads' || path === 'temp' || path === 'home') return defaultFolder(path);
  throw new Error(`The host knows no folder "${path}".`);
}
