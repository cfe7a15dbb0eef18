/** The wrapper of every verb: checks who calls and with what, and turns whatever goes wrong into a refusal as data. */
import type { VerbName } from '../../shared/ipc/channels.ts';
import { ipcSchema } from '../../shared/ipc/ipc-schema.ts';
import type { VerbHandlers, VerbInput } from '../../shared/ipc/ipc-types.ts';
import { type Failure, fail } from '../../shared/ipc/result.ts';
import type { Log } from '../licensing/platform.ts';

export type VerbGuard = {
  readonly isAllowed: (event: Electron.IpcMainInvokeEvent) => boolean;
  readonly now: () => number;
  readonly log: Log;
};

/** Makes the listener of one verb's channel. It never rejects, so no stack crosses to the window. */
export function answerVerb<V extends VerbName>(verb: V, handler: VerbHandlers[V], guard: VerbGuard) {
  const refuse = (code: Failure['code'], message: string) =>
    fail({ code, message, at: new Date(guard.now()).toISOString() });

  return async (event: Electron.IpcMainInvokeEvent, ...input: unknown[]): Promise<unknown> => {
    if (!guard.isAllowed(event)) {
      guard.log.warn('A verb was called from a page that is not ours', { verb });
      return refuse('INTERNAL', 'This page may not call Latchkey.');
    }
    const parsed = ipcSchema[verb].input.safeParse(input[0]);
    if (!parsed.success || input.length > 1) {
      guard.log.warn('A verb was called with something it does not take', { verb });
      return refuse('VALIDATION_ERROR', `"${verb}" does not take that.`);
    }
    try {
      return await (handler as (input: VerbInput<V>) => unknown)(parsed.data as VerbInput<V>);
    } catch (error) {
      guard.log.warn('A verb failed', { verb, error: error instanceof Error ? error.message : String(error) });
      return refuse('INTERNAL', 'Something went wrong.');
    }
  };
}
