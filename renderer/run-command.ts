/** Runs a command and turns a failed call into an ordinary failure. */
import { type Failure, fail, type Result } from '../shared/ipc/result.ts';

/** Runs the command. Never throws. */
export async function runCommand<T>(command: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await command();
  } catch (error) {
    return fail(failureFrom(error));
  }
}

/** A failure that is thrown, by a call that returns no `Result`. */
export class ThrownFailure extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** Returns what was thrown as a failure. */
export function failureFrom(error: unknown): Failure {
  if (error instanceof ThrownFailure) return error.failure;
  return failureNow('INTERNAL', error instanceof Error ? error.message : String(error));
}

/** Returns a failure with the current time. */
export function failureNow(code: Failure['code'], message: string): Failure {
  return { code, message, at: new Date().toISOString() };
}
