/** Which errors of PostgreSQL and of the way to it say that the database cannot be used now. */
import { DatabaseError } from 'pg';

/**
 * Classes of SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html): connection, insufficient resources,
 * operator intervention, system error; and single codes: lock not available, read-only server, too many waiting.
 */
const unavailable = /^(?:08|53|57P|58)|^(?:55P03|25006|40001|40P01|57014)$/;

/** Whether the query never ran or its transaction is lost, for no fault of the query. */
export function isPostgresUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseError) return unavailable.test(error.code ?? '');
  // What is no answer of the server is a failure on the way to it: refused, reset, timed out, ended.
  return error instanceof Error;
}

/** Whether a write failed on a constraint: class 23. */
export function isPostgresConstraintViolation(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code ?? '').startsWith('23');
}
