/** The connection to the main process: the only file that reads `window.latchkey`. */
import type { Bridge } from '../shared/ipc/ipc-schema.ts';

declare global {
  interface Window {
    readonly latchkey: Bridge;
  }
}

export const bridge: Bridge = window.latchkey;
