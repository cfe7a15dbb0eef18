/** Electron's `ipcMain` and `protocol`: stores the handlers that the main process registers, and calls them. */
import { EventEmitter } from 'node:events';

type CommandHandler = (event: Electron.IpcMainInvokeEvent, ...input: unknown[]) => unknown;
type SchemeHandler = (request: Request) => Response | Promise<Response>;

const commandHandlers = new Map<string, CommandHandler>();
const schemeHandlers = new Map<string, SchemeHandler>();

const ipcMainMethods: Pick<Electron.IpcMain, 'handle' | 'removeHandler'> = {
  handle: (channel, handler) => {
    if (commandHandlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
    commandHandlers.set(channel, handler);
  },
  removeHandler: (channel) => {
    commandHandlers.delete(channel);
  },
};

export const ipcMain = Object.assign(new EventEmitter(), ipcMainMethods);

export const protocol: Pick<Electron.Protocol, 'registerSchemesAsPrivileged' | 'handle'> = {
  registerSchemesAsPrivileged: () => {},
  handle: (scheme, handler) => {
    schemeHandlers.set(scheme, handler);
  },
};

/** Calls the main process's handler for a channel; rejects if there is none. */
export async function invokeMain(event: object, channel: string, input: readonly unknown[]): Promise<unknown> {
  const handler = commandHandlers.get(channel);
  if (handler === undefined) throw new Error(`No handler registered for '${channel}'`);
  return handler(event as Electron.IpcMainInvokeEvent, ...input);
}

/** Calls the main process's handler for the URL's scheme. */
export function handleSchemeRequest(request: Request): Response | Promise<Response> {
  const handler = schemeHandlers.get(new URL(request.url).protocol.slice(0, -1));
  return handler?.(request) ?? new Response('No such scheme', { status: 404 });
}
