/** The connection to the main process, including what only the window has. */
import type { Bridge } from '../shared/ipc/ipc-schema.ts';
import { bridge as accountBridge } from './account-bridge.ts';

// In the window, the preload provides the whole bridge.
export const bridge = accountBridge as Bridge;
