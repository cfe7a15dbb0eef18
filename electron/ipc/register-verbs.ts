/** Gives each verb of the window its channel; the only importer of ipcMain. */
import { ipcMain } from 'electron';
import { type VerbName, verbChannel, verbNames } from '../../shared/ipc/channels.ts';
import type { VerbHandlers } from '../../shared/ipc/ipc-types.ts';
import { answerVerb, type VerbGuard } from './answer-verb.ts';

/** Registers all verbs; from then on the window may call. */
export function registerVerbs(handlers: VerbHandlers, guard: VerbGuard): void {
  for (const verb of verbNames) register(verb, handlers, guard);
}

function register<V extends VerbName>(verb: V, handlers: VerbHandlers, guard: VerbGuard): void {
  ipcMain.handle(verbChannel(verb), answerVerb(verb, handlers[verb], guard));
}
