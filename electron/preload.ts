/**
 * Exposes the commands, the state and the paths of dropped files to the window. Sandboxed, so it may require only
 * Electron.
 */
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { commandChannel, openRequestChannel, stateChannel } from '../shared/ipc/channels.ts';

/** The commands in `shared/ipc/ipc-schema.ts`, listed by the build so that zod stays out of this bundle. */
declare const commandNames: readonly string[];

/** Subscribes to what the main process sends on a channel; returns a function to unsubscribe. */
function follow(channel: string, listener: (value: unknown) => void): () => void {
  const forward = (_event: unknown, value: unknown) => listener(value);
  ipcRenderer.on(channel, forward);
  return () => ipcRenderer.off(channel, forward);
}

const commands = Object.fromEntries(
  commandNames.map((name) => [name, (input?: unknown) => ipcRenderer.invoke(commandChannel(name), input)]),
);

contextBridge.exposeInMainWorld('latchkey', {
  ...commands,
  onState: (listener: (value: unknown) => void) => follow(stateChannel, listener),
  onOpenRequest: (listener: (value: unknown) => void) => follow(openRequestChannel, listener),
  pathForFile: (file: unknown) => webUtils.getPathForFile(file as Parameters<typeof webUtils.getPathForFile>[0]),
});
