/** Exposes the commands, the state and the paths of dropped files to the window. Sandboxed: it may require only Electron. */
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import type { AppState } from '../shared/ipc/app-state.ts';
import { commandChannel, stateChannel } from '../shared/ipc/channels.ts';

/** The commands in `shared/ipc/ipc-schema.ts`, listed by the build so that zod stays out of this bundle. */
declare const commandNames: readonly string[];

function onState(listener: (state: AppState) => void): () => void {
  const forward = (_event: unknown, state: AppState) => listener(state);
  ipcRenderer.on(stateChannel, forward);
  return () => ipcRenderer.off(stateChannel, forward);
}

const commands = Object.fromEntries(
  commandNames.map((name) => [name, (input?: unknown) => ipcRenderer.invoke(commandChannel(name), input)]),
);

contextBridge.exposeInMainWorld('latchkey', {
  ...commands,
  onState,
  pathForFile: (file: unknown) => webUtils.getPathForFile(file as Parameters<typeof webUtils.getPathForFile>[0]),
});
