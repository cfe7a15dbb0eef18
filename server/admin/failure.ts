/** A command that failed: what it says on stderr. */
import { ApiError } from '../api-error.ts';
import { DatabaseUnavailable } from '../database/database.ts';
import { StartError } from '../start-error.ts';

/** A refusal that no client of the interface ever meets, with a code of its own. */
export class AdminError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'AdminError';
    this.code = code;
  }
}

export type Failure = { readonly error: string; readonly code: string };

/** The sentence and the code for what a command threw. */
export function describeFailure(thrown: unknown): Failure {
  if (thrown instanceof ApiError || thrown instanceof AdminError) return { error: thrown.message, code: thrown.code };
  if (thrown instanceof StartError) return { error: thrown.message, code: 'CANNOT_START' };
  if (thrown instanceof DatabaseUnavailable) {
    const cause = thrown.cause instanceof Error ? ` (${thrown.cause.message})` : '';
    return { error: `The database cannot be used at the moment${cause}. Try again.`, code: 'SERVICE_UNAVAILABLE' };
  }
  return { error: thrown instanceof Error ? thrown.message : String(thrown), code: 'INTERNAL_ERROR' };
}
