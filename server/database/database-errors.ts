/** What went wrong, said alike for both databases. */
import { DatabaseUnavailable } from './database.ts';
import { isPostgresConstraintViolation } from './postgres-errors.ts';
import { isSqliteConstraintViolation, isSqliteUnavailable } from './sqlite-errors.ts';

/** Whether the database cannot be used now, as against that a query is wrong. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DatabaseUnavailable || isSqliteUnavailable(error);
}

/** Whether a write failed on a UNIQUE, CHECK, NOT NULL or FOREIGN KEY constraint. */
export function isConstraintViolation(error: unknown): boolean {
  return isSqliteConstraintViolation(error) || isPostgresConstraintViolation(error);
}
