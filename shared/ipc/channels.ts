/** Names of the IPC channels. Imports nothing, to keep zod out of the preload bundle. */

/** Carries the whole `AppState` from the main process to the window after every change. */
export const stateChannel = 'latchkey:state';

/** Carries the pending `OpenRequest`, or `null`, from the main process after every change. */
export const openRequestChannel = 'latchkey:open-request';

/** Returns the channel on which the window calls a command. */
export function commandChannel(command: string): string {
  return `latchkey:${command}`;
}
