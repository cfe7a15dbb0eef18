/** Gives each command of the window its channel; the only importer of ipcMain. */
import { ipcMain } from 'electron';
import { type CommandName, commandChannel, commandNames } from '../../shared/ipc/channels.ts';
import type { CommandHandlers } from '../../shared/ipc/ipc-types.ts';
import { type CommandGuard, handleCommand } from './handle-command.ts';

/** Registers all commands; from then on the window may call. */
export function registerCommands(handlers: CommandHandlers, guard: CommandGuard): void {
  for (const command of commandNames) register(command, handlers, guard);
}

function register<V extends CommandName>(command: V, handlers: CommandHandlers, guard: CommandGuard): void {
  ipcMain.handle(commandChannel(command), handleCommand(command, handlers[command], guard));
}
