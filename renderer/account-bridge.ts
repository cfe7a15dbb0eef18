/**
 * What the components that the window and the account page share can do: the only file that reads `window.latchkey`. In
 * the window the preload provides it, on the account page `account/page-bridge.ts`.
 */
import type { AccountBridge } from '../shared/ipc/ipc-schema.ts';

declare global {
  interface Window {
    readonly latchkey: AccountBridge;
  }
}

export const bridge: AccountBridge = window.latchkey;
