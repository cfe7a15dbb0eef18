/** Exposes the verbs of the window and its state, and nothing else; sandboxed, so it requires only Electron. */
import { contextBridge, ipcRenderer, webUtils } from 'electron';
import type { AppState } from '../shared/ipc/app-state.ts';
import { stateChannel, verbChannel, verbNames } from '../shared/ipc/channels.ts';

function onState(listener: (state: AppState) => void): () => void {
  const forward = (_event: unknown, state: AppState) => listener(state);
  ipcRenderer.on(stateChannel, forward);
  return () => ipcRenderer.off(stateChannel, forward);
}

const verbs = Object.fromEntries(
  verbNames.map((verb) => [verb, (input?: unknown) => ipcRenderer.invoke(verbChannel(verb), input)]),
);

contextBridge.exposeInMainWorld('latchkey', {
  ...verbs,
  onState,
  pathForFile: (file: unknown) => webUtils.getPathForFile(file as Parameters<typeof webUtils.getPathForFile>[0]),
});
