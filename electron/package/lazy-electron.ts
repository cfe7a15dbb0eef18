/** Replaces `electron` in the package: it is loaded on first use, not when the package is imported. */
import { createRequire } from 'node:module';
import { withAsync } from './older-safe-storage.ts';

const require = createRequire(import.meta.url);

/** Outside Electron, the package `electron` is the path of its program. */
function load(): object {
  const electron: unknown = require('electron');
  if (typeof electron === 'object' && electron !== null) return electron;
  throw new Error('latchkey-client/electron works in the main process of an Electron app only.');
}

function later(name: string): object {
  return new Proxy(
    {},
    {
      get: (_target, key) => {
        const part: object = Reflect.get(load(), name);
        const value: unknown = Reflect.get(part, key, part);
        return typeof value === 'function' ? value.bind(part) : value;
      },
    },
  );
}

export const app = later('app');
export const ipcMain = later('ipcMain');
export const net = later('net');
export const powerMonitor = later('powerMonitor');
export const safeStorage = withAsync(later('safeStorage') as Electron.SafeStorage);
export const session = later('session');
