/** Exposes the commands of the window and its state, and nothing else; sandboxed, so it requires only Electron. */
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import type { AppState } from '../shared/ipc/app-state.ts';
import { commandChannel, commandNames, stateChannel } from '../shared/ipc/channels.ts';

function onState(listener: (state: AppState) => void): () => void {
  const forward = (_event: unknown, state: AppState) => listener(state);
  ipcRenderer.on(stateChannel, forward);
  return () => ipcRenderer.off(stateChannel, forward);
}

const commands = Object.fromEntries(
  commandNames.map((command) => [command, (input?: unknown) => ipcRenderer.invoke(commandChannel(command), input)]),
);

contextBridge.exposeInMainWorld('latchkey', {
  ...commands,
  onState,
  pathForFile: (file: unknown) => webUtils.getPathForFile(file as Parameters<typeof webUtils.getPathForFile>[0]),
});
