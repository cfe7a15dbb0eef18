/**
 * The bridge of the components shared by the window and the account page, and the only file that reads
 * `window.latchkey`. The preload provides it in the window, `account/page-bridge.ts` on the account page.
 */
import type { AccountBridge } from '../shared/ipc/ipc-schema.ts';

declare global {
  interface Window {
    readonly latchkey: AccountBridge;
  }
}

export const bridge: AccountBridge = window.latchkey;
