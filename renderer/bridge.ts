/** The connection to the main process: the only file that reads `window.latchkey`. */
import type { Bridge } from '../shared/ipc/ipc-schema.ts';
import { fail, type Result } from '../shared/ipc/result.ts';

declare global {
  interface Window {
    readonly latchkey: Bridge;
  }
}

export const bridge: Bridge = window.latchkey;

/** Runs a command. Never throws: a call that did not reach main becomes a failure like any other. */
export async function runCommand<T>(command: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await command();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return fail({ code: 'INTERNAL', message, at: new Date().toISOString() });
  }
}
