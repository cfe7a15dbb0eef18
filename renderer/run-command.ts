/** Runs a command so that a call that failed on its way is a failure like any other. */
import { fail, type Result } from '../shared/ipc/result.ts';

/** Never throws. */
export async function runCommand<T>(command: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await command();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return fail({ code: 'INTERNAL', message, at: new Date().toISOString() });
  }
}
