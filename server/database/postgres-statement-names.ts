/** The names of prepared statements, and what to do where the ones that are prepared cannot be used any more. */
import type { DatabaseError } from 'pg';

/** A statement that was prepared is unknown, or one that was not is known: a pooler gives each transaction another session. */
const sharedSession: ReadonlySet<string | undefined> = new Set(['26000', '42P05']);

/**
 * PgBouncer before 1.21 in transaction mode hands a client from session to session and knows nothing of prepared
 * statements: from the first error that shows it, none has a name. A migration that changes what a statement returns makes
 * the prepared one useless ("cached plan must not change result type"): then each is prepared again, under a new name.
 */
export class StatementNames {
  #isEnabled = true;
  #generation = 0;

  /** What to call it on a connection; `undefined` for a statement that is not to be prepared. */
  find(name: string | undefined): string | undefined {
    return name === undefined || !this.#isEnabled ? undefined : `${name}_${this.#generation}`;
  }

  noteError(error: DatabaseError): void {
    if (sharedSession.has(error.code)) this.#isEnabled = false;
    if (isOutdatedPlan(error)) this.#generation++;
  }
}

/** Whether the error is one of a prepared statement, so that the same statement under another name succeeds. */
export function isStatementNameError(error: DatabaseError): boolean {
  return sharedSession.has(error.code) || isOutdatedPlan(error);
}

/** The message is in the language of the server; the name of the function that sends it is not. */
function isOutdatedPlan({ code, routine }: DatabaseError): boolean {
  return code === '0A000' && routine === 'RevalidateCachedQuery';
}
