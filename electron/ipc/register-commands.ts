/** Connects each window command to its implementation. */
import { ipcMain } from 'electron';
import { commandChannel } from '../../shared/ipc/channels.ts';
import { type CommandHandlers, type CommandName, commandNames, ipcSchema } from '../../shared/ipc/ipc-schema.ts';
import { type CommandGuard, handleCommand } from './handle-command.ts';

/**
 * Registers every command of the schema. `desktop` has the commands that need Electron, `client` all others, each as a
 * method of the command's name; a command missing in both is a compile error.
 */
export function registerCommands<Desktop extends Partial<CommandHandlers>>(
  client: Omit<CommandHandlers, keyof Desktop>,
  desktop: Desktop,
  guard: CommandGuard,
): void {
  for (const name of commandNames) {
    const target = (name in desktop ? desktop : client) as Record<CommandName, (input: unknown) => unknown>;
    ipcMain.handle(
      commandChannel(name),
      handleCommand({ name, input: ipcSchema[name].input, run: (input) => target[name](input) }, guard),
    );
  }
}
