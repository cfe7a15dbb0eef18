/** Which errors of SQLite say that the database cannot be used now, as against that a query is wrong. */

/** Primary result codes (sqlite.org/rescode.html): BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN. */
const unavailable = new Set([5, 6, 8, 10, 13, 14]);
const constraint = 19;
const corrupt = 11;
const notADatabase = 26;

/** The primary result code, or `undefined` for what is not an error of SQLite. */
function primaryCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}

export function isBusy(error: unknown): boolean {
  return primaryCode(error) === 5;
}

export function isSqliteUnavailable(error: unknown): boolean {
  return unavailable.has(primaryCode(error) ?? -1);
}

export function isCorrupt(error: unknown): boolean {
  return primaryCode(error) === corrupt;
}

export function isNotADatabase(error: unknown): boolean {
  return primaryCode(error) === notADatabase;
}

/** Whether a write failed on a UNIQUE, CHECK, NOT NULL or FOREIGN KEY constraint. */
export function isSqliteConstraintViolation(error: unknown): boolean {
  return primaryCode(error) === constraint;
}
