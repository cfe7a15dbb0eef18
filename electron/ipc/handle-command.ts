/** The wrapper of every command: checks who calls and with what, and turns whatever goes wrong into a refusal as data. */
import type { CommandName } from '../../shared/ipc/channels.ts';
import { ipcSchema } from '../../shared/ipc/ipc-schema.ts';
import type { CommandHandlers, CommandInput } from '../../shared/ipc/ipc-types.ts';
import { type Failure, fail } from '../../shared/ipc/result.ts';
import type { Log } from '../licensing/platform.ts';

export type CommandGuard = {
  readonly isAllowed: (event: Electron.IpcMainInvokeEvent) => boolean;
  readonly now: () => number;
  readonly log: Log;
};

/** Makes the listener of one command's channel. It never rejects, so no stack crosses to the window. */
export function handleCommand<V extends CommandName>(command: V, handler: CommandHandlers[V], guard: CommandGuard) {
  const refuse = (code: Failure['code'], message: string) =>
    fail({ code, message, at: new Date(guard.now()).toISOString() });

  return async (event: Electron.IpcMainInvokeEvent, ...input: unknown[]): Promise<unknown> => {
    if (!guard.isAllowed(event)) {
      guard.log.warn('A command was called from a page that is not ours', { command });
      return refuse('INTERNAL', 'This page may not call Latchkey.');
    }
    const parsed = ipcSchema[command].input.safeParse(input[0]);
    if (!parsed.success || input.length > 1) {
      guard.log.warn('A command was called with something it does not take', { command });
      return refuse('VALIDATION_ERROR', `"${command}" does not take that.`);
    }
    try {
      return await (handler as (input: CommandInput<V>) => unknown)(parsed.data as CommandInput<V>);
    } catch (error) {
      guard.log.warn('A command failed', { command, error: error instanceof Error ? error.message : String(error) });
      return refuse('INTERNAL', 'Something went wrong.');
    }
  };
}
