/** The part of Electron that the preload script requires, for a page in a browser. */
import { getPathForFile } from './file-paths.ts';
import { PageSocket } from './page-socket.ts';

type Listener = (event: object, ...input: unknown[]) => void;

/** Returns what the preload script gets from `require('electron')`. */
export function electronForPage(uploadsFolder: string) {
  const listeners = new Map<string, Set<Listener>>();
  const socket = new PageSocket({
    uploadsFolder,
    onEvent: (channel, input) => {
      for (const listener of listeners.get(channel) ?? []) listener({}, ...input);
    },
  });
  const ipcRenderer = {
    invoke: socket.invoke,
    on: (channel: string, listener: Listener) => {
      listeners.set(channel, (listeners.get(channel) ?? new Set()).add(listener));
      return ipcRenderer;
    },
    off: (channel: string, listener: Listener) => {
      listeners.get(channel)?.delete(listener);
      return ipcRenderer;
    },
  };
  const contextBridge = {
    exposeInMainWorld: (name: string, value: object) => {
      Object.defineProperty(window, name, { value: Object.freeze(value) });
    },
  };
  const webUtils = { getPathForFile: (file: File) => getPathForFile(file, uploadsFolder) };
  return { ipcRenderer, contextBridge, webUtils };
}
