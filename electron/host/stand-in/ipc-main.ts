/** Electron's `ipcMain`: who handles which channel. */
import { EventEmitter } from 'node:events';

type Handler = (event: Electron.IpcMainInvokeEvent, ...input: unknown[]) => unknown;

const handlers = new Map<string, Handler>();

const methods: Pick<Electron.IpcMain, 'handle'> = {
  handle: (channel, handler) => {
    if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
    handlers.set(channel, handler);
  },
};

export const ipcMain = Object.assign(new EventEmitter(), methods);

/** Has main answer a call of the page. */
export async function invokeMain(event: object, channel: string, input: readonly unknown[]): Promise<unknown> {
  const handler = handlers.get(channel);
  if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
  return handler(event as Electron.IpcMainInvokeEvent, ...input);
}
