/** The door to main: the only file that knows `window.latchkey`. */
import type { Bridge } from '../shared/ipc/ipc-types.ts';
import { fail, type Result } from '../shared/ipc/result.ts';

declare global {
  interface Window {
    readonly latchkey: Bridge;
  }
}

export const bridge: Bridge = window.latchkey;

/** The answer of a command; a call that never reached main is a refusal like any other. */
export async function ask<T>(command: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await command();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return fail({ code: 'INTERNAL', message, at: new Date().toISOString() });
  }
}
