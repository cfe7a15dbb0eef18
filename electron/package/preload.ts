/** `latchkey-client/preload`: exposes the commands and the state to the page as `window.licensing`. Requires only Electron. */
import { contextBridge, ipcRenderer } from 'electron';
import { commandChannel, stateChannel } from '../../shared/ipc/channels.ts';
import type { LicensingBridge } from './licensing-bridge.ts';
import { pageCommandNames } from './page-command-names.ts';

declare global {
  interface Window {
    readonly licensing: LicensingBridge;
  }
}

const commands = Object.fromEntries(
  pageCommandNames.map((name) => [name, (input?: unknown) => ipcRenderer.invoke(commandChannel(name), input)]),
);

contextBridge.exposeInMainWorld('licensing', {
  ...commands,
  onState: (listener: (state: unknown) => void) => {
    const forward = (_event: unknown, state: unknown) => listener(state);
    ipcRenderer.on(stateChannel, forward);
    return () => ipcRenderer.off(stateChannel, forward);
  },
});
