/** The types of both sides of the IPC, derived from its schema. */
import type { z } from 'zod';
import type { AppState } from './app-state.ts';
import type { CommandName, IpcSchema } from './ipc-schema.ts';

export type CommandInput<Name extends CommandName> = z.infer<IpcSchema[Name]['input']>;
export type CommandOutput<Name extends CommandName> = IpcSchema[Name]['output'];

/** A command without an argument is called without one. */
type Arguments<Name extends CommandName> = CommandInput<Name> extends undefined ? [] : [input: CommandInput<Name>];

/** Main's side: one function per command. */
export type CommandHandlers = {
  readonly [Name in CommandName]: (...input: Arguments<Name>) => CommandOutput<Name> | Promise<CommandOutput<Name>>;
};

/** The window's side, exposed by the preload as `window.latchkey`. */
export type Bridge = {
  readonly [Name in CommandName]: (...input: Arguments<Name>) => Promise<CommandOutput<Name>>;
} & {
  /** Calls back with each new state until the returned function is called. */
  readonly onState: (listener: (state: AppState) => void) => () => void;
  /** The path of a file that was dropped on the window or chosen in it. */
  readonly pathForFile: (file: unknown) => string;
};
