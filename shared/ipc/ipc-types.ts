/** Both sides of the IPC, derived from its schema. */
import type { z } from 'zod';
import type { AppState } from './app-state.ts';
import type { VerbName } from './channels.ts';
import type { IpcSchema } from './ipc-schema.ts';

export type VerbInput<V extends VerbName> = z.infer<IpcSchema[V]['input']>;
export type VerbOutput<V extends VerbName> = IpcSchema[V]['output'];

/** A verb without an argument is called without one. */
type Arguments<V extends VerbName> = VerbInput<V> extends undefined ? [] : [input: VerbInput<V>];

/** Main's side: one function a verb. */
export type VerbHandlers = {
  readonly [V in VerbName]: (...input: Arguments<V>) => VerbOutput<V> | Promise<VerbOutput<V>>;
};

/** The window's side, as the preload exposes it on `window.latchkey`. */
export type Bridge = {
  readonly [V in VerbName]: (...input: Arguments<V>) => Promise<VerbOutput<V>>;
} & {
  /** Calls back with each new state; the returned function ends that. */
  readonly onState: (listener: (state: AppState) => void) => () => void;
  /** The path of a file that was dropped on the window or chosen in it. */
  readonly pathForFile: (file: unknown) => string;
};
