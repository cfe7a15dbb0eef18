/** The names of prepared statements, and what to do when PostgreSQL no longer accepts them. */
import type { DatabaseError } from 'pg';

/** "Does not exist" and "already exists": a pooler gave the transaction a session with other prepared statements. */
const sharedSession: ReadonlySet<string | undefined> = new Set(['26000', '42P05']);

/**
 * PgBouncer before 1.21 in transaction mode moves a client between sessions without its prepared statements: after the
 * first error that shows this, statements are no longer prepared. A migration that changes what a statement returns
 * invalidates it ("cached plan must not change result type"): then every statement is prepared again under a new name.
 */
export class StatementNames {
  #isEnabled = true;
  #generation = 0;

  /** The name to prepare the statement under; `undefined` if it is not to be prepared. */
  find(name: string | undefined): string | undefined {
    return name === undefined || !this.#isEnabled ? undefined : `${name}_${this.#generation}`;
  }

  noteError(error: DatabaseError): void {
    if (sharedSession.has(error.code)) this.#isEnabled = false;
    if (isOutdatedPlan(error)) this.#generation++;
  }
}

/** Whether the error is about the prepared statement, so that the same statement succeeds under another name or none. */
export function isStatementNameError(error: DatabaseError): boolean {
  return sharedSession.has(error.code) || isOutdatedPlan(error);
}

/** Recognizes the error by the function that reports it: the message depends on the server's language. */
function isOutdatedPlan({ code, routine }: DatabaseError): boolean {
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}
