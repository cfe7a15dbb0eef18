/** Both sides of the IPC, derived from its schema. */
import type { z } from 'zod';
import type { AppState } from './app-state.ts';
import type { CommandName } from './channels.ts';
import type { IpcSchema } from './ipc-schema.ts';

export type CommandInput<V extends CommandName> = z.infer<IpcSchema[V]['input']>;
export type CommandOutput<V extends CommandName> = IpcSchema[V]['output'];

/** A command without an argument is called without one. */
type Arguments<V extends CommandName> = CommandInput<V> extends undefined ? [] : [input: CommandInput<V>];

/** Main's side: one function a command. */
export type CommandHandlers = {
  readonly [V in CommandName]: (...input: Arguments<V>) => CommandOutput<V> | Promise<CommandOutput<V>>;
};

/** The window's side, as the preload exposes it on `window.latchkey`. */
export type Bridge = {
  readonly [V in CommandName]: (...input: Arguments<V>) => Promise<CommandOutput<V>>;
} & {
  /** Calls back with each new state; the returned function ends that. */
  readonly onState: (listener: (state: AppState) => void) => () => void;
  /** The path of a file that was dropped on the window or chosen in it. */
  readonly pathForFile: (file: unknown) => string;
};
