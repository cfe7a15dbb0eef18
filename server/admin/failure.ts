/** A command that failed: what it says on stderr. */

import { BackupError } from '../backup/backup-error.ts';
import { DatabaseUnavailable } from '../database/database-errors.ts';
import { ApiError, StartError } from '../errors.ts';

export type Failure = { readonly error: string; readonly code: string };

/** The sentence and the code for what a command threw. */
export function describeFailure(thrown: unknown): Failure {
  if (thrown instanceof ApiError || thrown instanceof BackupError) return { error: thrown.message, code: thrown.code };
  if (thrown instanceof StartError) return { error: thrown.message, code: 'CANNOT_START' };
  if (thrown instanceof DatabaseUnavailable) {
    const cause = thrown.cause instanceof Error ? ` (${thrown.cause.message})` : '';
    return { error: `The database cannot be used at the moment${cause}. Try again.`, code: 'SERVICE_UNAVAILABLE' };
  }
  return { error: thrown instanceof Error ? thrown.message : String(thrown), code: 'INTERNAL_ERROR' };
}
