/** Runs a command and turns a failed call into an ordinary failure. */
import { fail, type Result } from '../shared/ipc/result.ts';

/** Runs the command. Never throws. */
export async function runCommand<T>(command: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await command();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return fail({ code: 'INTERNAL', message, at: new Date().toISOString() });
  }
}
