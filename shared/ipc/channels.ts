/** The names of the IPC channels. Imports nothing, so that the preload bundle stays free of zod. */

/** The main process sends the whole `AppState` to the window here after every change. */
export const stateChannel = 'latchkey:state';

/** The main process sends the `OpenRequest` that waits here after every change; `null` if none does. */
export const openRequestChannel = 'latchkey:open-request';

/** The channel on which the window calls a command. */
export function commandChannel(command: string): string {
  return `latchkey:${command}`;
}
